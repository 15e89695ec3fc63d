#include "layer_row.h"

#include <fmt/format.h>

namespace lockstep::nn {

using graph::OpKind;
using graph::Value;

namespace {

// The first axis on which two inputs differ, in words.
Result<void> needSameShapes(const Layer& layer) {
    const auto& first = layer.shape(layer.input());
    for (std::size_t i = 1; i < layer.inputs().size(); ++i) {
        const auto& other = layer.shape(layer.inputs()[i]);
        if (other.rank() != first.rank())
            return layer.wrong(fmt::format("input 0 is {}, input {} is {}", first.toText(), i, other.toText()));
        for (std::size_t axis = 0; axis < first.rank(); ++axis) {
            if (first[axis] == other[axis]) continue;
            return layer.wrong(fmt::format("axis {} is {} in input 0 {}, but {} in input {} {}", axis, first[axis], first.toText(),
                                           other[axis], i, other.toText()));
        }
    }
    for (const Value input : layer.inputs()) LS_TRY(layer.needNumbers(input));
    return {};
}

Result<Value> fold(Layer& layer, OpKind op) {
    LS_TRY(needSameShapes(layer));
    Value result = layer.input();
    for (std::size_t i = 1; i < layer.inputs().size(); ++i) {
        const std::string part = i + 1 == layer.inputs().size() ? std::string() : "part" + std::to_string(i);
        LS_TRY_ASSIGN(result, layer.append(op, part, {result, layer.inputs()[i]}));
    }
    return result;
}

Result<Value> buildAdd(Layer& layer) { return fold(layer, OpKind::Add); }

Result<Value> buildMultiply(Layer& layer) { return fold(layer, OpKind::Mul); }

// The shapes differ on the joined axis only.
Result<Value> buildConcatenate(Layer& layer) {
    const graph::Shape first = layer.shape(layer.input());
    const auto rank = static_cast<std::int64_t>(first.rank());
    const std::int64_t given = layer.settings().integer("axis"), axis = given < 0 ? given + rank : given;
    if (axis < 1 || axis >= rank)
        return layer.wrong(fmt::format("axis {} is none of its input {} (0, the rows, is not joined)", given, first.toText()));
    for (std::size_t i = 1; i < layer.inputs().size(); ++i) {
        const graph::Shape& other = layer.shape(layer.inputs()[i]);
        bool fits = other.rank() == first.rank();
        for (std::size_t at = 0; fits && at < first.rank(); ++at) {
            if (static_cast<std::int64_t>(at) == axis || first[at] == other[at]) continue;
            return layer.wrong(fmt::format("axis {} is {} in input 0 {}, but {} in input {} {}", at, first[at], first.toText(), other[at],
                                           i, other.toText()));
        }
        if (!fits) return layer.wrong(fmt::format("input 0 is {}, input {} is {}", first.toText(), i, other.toText()));
    }
    for (const Value input : layer.inputs()) LS_TRY(layer.needNumbers(input));
    return layer.append(OpKind::Concat, "", layer.inputs(), {{"axis", axis}});
}

constexpr SettingRow kConcatenate[] = {{"axis", SettingKind::Integer, "-1", -8, 8}};

constexpr LayerRow kRows[] = {
    {{"concatenate", "Concatenate", 2, -1, kConcatenate}, buildConcatenate},
    {{"add", "Add", 2, -1, {}}, buildAdd},
    {{"multiply", "Multiply", 2, -1, {}}, buildMultiply},
};

}  // namespace

std::span<const LayerRow> mergeLayers() { return kRows; }

}  // namespace lockstep::nn
