// Small checks that type rules are made of. Each gives S403 with the op, the operand and both shapes.
#pragma once

#include <graph/op.h>

#include <string>
#include <string_view>

namespace lockstep::graph::rules {

using Types = std::span<const TensorType>;
using Inferred = Result<std::vector<TensorType>>;

// One operand under check, with the words for its error.
struct Operand {
    std::string_view op;
    std::string_view name;
    const TensorType& type;
};

Error mismatch(std::string_view op, std::string what);

Result<void> needFloat(const Operand& operand);
// f32 or f64.
Result<void> needWide(const Operand& operand);
Result<void> needRank(const Operand& operand, std::size_t rank);
Result<void> needShape(const Operand& operand, const Shape& shape);
Result<void> needSameDType(const Operand& a, const Operand& b);
// Of the type that sums and factors beside x have (types.h, wideOf).
Result<void> needWideLike(const Operand& x, const Operand& beside);
// Same element type and shape.
Result<void> needSame(const Operand& a, const Operand& b);
// A scalar beside x (needWideLike).
Result<void> needScalar(const Operand& x, const Operand& scalar);
// For ops whose attributes say how many inputs there are.
Result<void> needInputs(std::string_view op, Types inputs, std::size_t wanted);

// Bytes of all operands together, each moved once.
double bytesOf(Types inputs, Types outputs);
double elementsOf(const TensorType& type);

}  // namespace lockstep::graph::rules
