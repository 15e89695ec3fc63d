#include "type_checks.h"

#include <fmt/format.h>

namespace lockstep::graph::rules {

Error mismatch(std::string_view op, std::string what) { return makeError("S403", {{"op", std::string(op)}, {"what", std::move(what)}}); }

Result<void> needFloat(const Operand& operand) {
    if (isFloat(operand.type.dtype)) return {};
    return mismatch(operand.op, fmt::format("{} is {}, but must be f32, f64, bf16 or f16", operand.name, operand.type.toText()));
}

Result<void> needWide(const Operand& operand) {
    if (isFloat(operand.type.dtype) && !is16Bit(operand.type.dtype)) return {};
    return mismatch(operand.op, fmt::format("{} is {}, but must be f32 or f64", operand.name, operand.type.toText()));
}

Result<void> needRank(const Operand& operand, std::size_t rank) {
    if (operand.type.shape.rank() == rank) return {};
    return mismatch(operand.op, fmt::format("{} is {}, but must have {} axes", operand.name, operand.type.toText(), rank));
}

Result<void> needShape(const Operand& operand, const Shape& shape) {
    if (operand.type.shape == shape) return {};
    return mismatch(operand.op, fmt::format("{} is {}, but must have shape {}", operand.name, operand.type.toText(), shape.toText()));
}

Result<void> needSameDType(const Operand& a, const Operand& b) {
    if (a.type.dtype == b.type.dtype) return {};
    return mismatch(
        a.op, fmt::format("{} is {} and {} is {}, but both must have one element type", a.name, a.type.toText(), b.name, b.type.toText()));
}

Result<void> needWideLike(const Operand& x, const Operand& beside) {
    if (beside.type.dtype == wideOf(x.type.dtype)) return {};
    return mismatch(x.op, fmt::format("{} is {} beside {} {}, but must be {}", beside.name, beside.type.toText(), x.name, x.type.toText(),
                                      nameOf(wideOf(x.type.dtype))));
}

Result<void> needSame(const Operand& a, const Operand& b) {
    if (a.type == b.type) return {};
    return mismatch(a.op,
                    fmt::format("{} is {} and {} is {}, but both must be of one type", a.name, a.type.toText(), b.name, b.type.toText()));
}

Result<void> needScalar(const Operand& x, const Operand& scalar) {
    LS_TRY(needWideLike(x, scalar));
    return needRank(scalar, 0);
}

Result<void> needInputs(std::string_view op, Types inputs, std::size_t wanted) {
    if (inputs.size() == wanted) return {};
    return mismatch(op, fmt::format("it has {} inputs, but needs {} with these attributes", inputs.size(), wanted));
}

double bytesOf(Types inputs, Types outputs) {
    double bytes = 0;
    for (const auto& type : inputs) bytes += static_cast<double>(type.bytes());
    for (const auto& type : outputs) bytes += static_cast<double>(type.bytes());
    return bytes;
}

double elementsOf(const TensorType& type) { return static_cast<double>(type.shape.elements()); }

}  // namespace lockstep::graph::rules
