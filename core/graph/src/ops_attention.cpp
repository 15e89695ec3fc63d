#include "op_rules.h"

#include <fmt/format.h>

namespace lockstep::graph::rules {
namespace {

bool isTransposed(const Attributes& attributes, std::string_view name) { return intAttributeOr(attributes, name, 0) != 0; }

// Rows, inner length and columns of the products of one batch_matmul.
struct Product {
    std::int64_t m, k, kOfB, n;
};

Product productOf(Types inputs, const Attributes& attributes) {
    const auto size = [](const Shape& shape, bool transposed, std::size_t axis) {
        return shape[shape.rank() - 2 + (transposed ? 1 - axis : axis)];
    };
    const bool ta = isTransposed(attributes, "transpose_a"), tb = isTransposed(attributes, "transpose_b");
    return {size(inputs[0].shape, ta, 0), size(inputs[0].shape, ta, 1), size(inputs[1].shape, tb, 0), size(inputs[1].shape, tb, 1)};
}

}  // namespace

Inferred inferBatchMatMul(Types inputs, const Attributes& attributes) {
    const Operand a{"batch_matmul", "a", inputs[0]}, b{"batch_matmul", "b", inputs[1]};
    LS_TRY(needFloat(a));
    LS_TRY(needSameDType(a, b));
    const std::size_t rank = a.type.shape.rank();
    if (rank < 2) return mismatch("batch_matmul", fmt::format("a is {}, but must have at least 2 axes", a.type.toText()));
    LS_TRY(needRank(b, rank));
    for (std::size_t i = 0; i + 2 < rank; ++i) {
        if (a.type.shape[i] == b.type.shape[i]) continue;
        return mismatch("batch_matmul", fmt::format("axis {} of a {} and of b {} differ", i, a.type.toText(), b.type.toText()));
    }
    const Product product = productOf(inputs, attributes);
    if (product.k != product.kOfB) {
        return mismatch("batch_matmul", fmt::format("the inner axes of a {} and b {} are {} and {}", a.type.toText(), b.type.toText(),
                                                    product.k, product.kOfB));
    }
    auto dims = a.type.shape.dims();
    dims[rank - 2] = product.m;
    dims[rank - 1] = product.n;
    return std::vector{TensorType{a.type.dtype, Shape(std::move(dims))}};
}

Result<void> gradientOfBatchMatMul(Gradients& gradients, const Node& node, OutputGradients outputGradients) {
    if (outputGradients.empty()) return lossItself(node);
    const Value a = node.inputs[0], b = node.inputs[1], dy = *outputGradients[0];
    const bool ta = isTransposed(node.attributes, "transpose_a"), tb = isTransposed(node.attributes, "transpose_b");
    if (gradients.wants(b)) {
        const std::vector<Value> inputs = tb ? std::vector{dy, a} : std::vector{a, dy};
        const Attributes attributes = tb ? transposes(true, ta) : transposes(!ta, false);
        LS_TRY_ASSIGN(const Value db, gradients.append(OpKind::BatchMatMul, node, inputs, attributes));
        LS_TRY(gradients.accumulate(b, db));
    }
    if (gradients.wants(a)) {
        const std::vector<Value> inputs = ta ? std::vector{b, dy} : std::vector{dy, b};
        const Attributes attributes = ta ? transposes(tb, true) : transposes(false, !tb);
        LS_TRY_ASSIGN(const Value da, gradients.append(OpKind::BatchMatMul, node, inputs, attributes));
        LS_TRY(gradients.accumulate(a, da));
    }
    return {};
}

OpCost costOfBatchMatMul(Types inputs, Types outputs, const Attributes& attributes) {
    return {2.0 * elementsOf(outputs[0]) * static_cast<double>(productOf(inputs, attributes).k), bytesOf(inputs, outputs)};
}

Inferred inferGather(Types inputs, const Attributes&) {
    const Operand table{"gather", "table", inputs[0]};
    LS_TRY(needFloat(table));
    LS_TRY(needRank(table, 2));
    if (inputs[1].dtype != DType::I32) return mismatch("gather", "ids is " + inputs[1].toText() + ", but must be i32");
    if (inputs[1].shape.rank() == kMaxRank) return mismatch("gather", "ids is " + inputs[1].toText() + ", but must have at most 7 axes");
    auto dims = inputs[1].shape.dims();
    dims.push_back(table.type.shape[1]);
    if (inputs[1].shape.elements() > kMaxElements / table.type.shape[1])
        return mismatch("gather", "the result has more than 2^40 elements");
    return std::vector{TensorType{table.type.dtype, Shape(std::move(dims))}};
}

Result<void> gradientOfGather(Gradients& gradients, const Node& node, OutputGradients outputGradients) {
    if (outputGradients.empty()) return lossItself(node);
    Attributes attributes{{"rows", gradients.graph().type(node.inputs[0]).shape[0]}};
    LS_TRY_ASSIGN(const Value dt, gradients.append(OpKind::GatherGrad, node, {*outputGradients[0], node.inputs[1]}, std::move(attributes)));
    return gradients.accumulate(node.inputs[0], dt);
}

OpCost costOfGather(Types inputs, Types outputs, const Attributes&) {
    return {0, static_cast<double>(inputs[1].bytes()) + 2 * bytesOf(outputs, {})};
}

Inferred inferGatherGrad(Types inputs, const Attributes& attributes) {
    const Operand dy{"gather_grad", "dy", inputs[0]}, ids{"gather_grad", "ids", inputs[1]};
    LS_TRY(needFloat(dy));
    if (ids.type.dtype != DType::I32) return mismatch("gather_grad", "ids is " + ids.type.toText() + ", but must be i32");
    LS_TRY(needRank(dy, ids.type.shape.rank() + 1));
    auto wanted = ids.type.shape.dims();
    wanted.push_back(dy.type.shape.back());
    LS_TRY(needShape(dy, Shape(wanted)));
    const std::int64_t rows = intAttribute(attributes, "rows");
    if (rows < 1) return mismatch("gather_grad", "rows must be at least 1");
    return std::vector{TensorType{dy.type.dtype, Shape{rows, dy.type.shape.back()}}};
}

OpCost costOfGatherGrad(Types inputs, Types outputs, const Attributes&) { return {elementsOf(inputs[0]), bytesOf(inputs, outputs)}; }

}  // namespace lockstep::graph::rules
