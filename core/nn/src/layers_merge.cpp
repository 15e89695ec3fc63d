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

constexpr LayerRow kRows[] = {
    {{"add", "Add", 2, -1, {}}, buildAdd},
    {{"multiply", "Multiply", 2, -1, {}}, buildMultiply},
};

}  // namespace

std::span<const LayerRow> mergeLayers() { return kRows; }

}  // namespace lockstep::nn
