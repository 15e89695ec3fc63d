#include "op_rules.h"

#include <algorithm>

#include <fmt/format.h>

namespace lockstep::graph::rules {
namespace {

using List = std::vector<std::int64_t>;

Result<void> needLength(const Operand& x, std::string_view attribute, const List& list) {
    if (list.size() == x.type.shape.rank()) return {};
    return mismatch(
        x.op, fmt::format("{} has {} numbers, {} {} has {} axes", attribute, list.size(), x.name, x.type.toText(), x.type.shape.rank()));
}

// The dims of a result that grew; attributes refuse such a product, so this does.
Inferred bounded(std::string_view op, graph::DType dtype, List dims) {
    std::int64_t left = kMaxElements;
    for (const std::int64_t dim : dims) {
        if (dim > left) return mismatch(op, "the result has more than 2^40 elements");
        left /= dim;
    }
    return std::vector{TensorType{dtype, Shape(std::move(dims))}};
}

Attributes sliceOf(List begin, List shape) { return {{"begin", std::move(begin)}, {"shape", std::move(shape)}}; }

}  // namespace

Inferred inferPad(Types inputs, const Attributes& attributes) {
    const Operand x{"pad", "x", inputs[0]};
    LS_TRY(needFloat(x));
    const List& before = listAttribute(attributes, "before");
    const List& after = listAttribute(attributes, "after");
    LS_TRY(needLength(x, "before", before));
    LS_TRY(needLength(x, "after", after));
    List dims = x.type.shape.dims();
    for (std::size_t i = 0; i < dims.size(); ++i) dims[i] += before[i] + after[i];
    return bounded("pad", x.type.dtype, std::move(dims));
}

Result<void> gradientOfPad(Gradients& gradients, const Node& node, OutputGradients outputGradients) {
    if (outputGradients.empty()) return lossItself(node);
    Attributes attributes = sliceOf(listAttribute(node.attributes, "before"), gradients.graph().type(node.inputs[0]).shape.dims());
    LS_TRY_ASSIGN(const Value dx, gradients.append(OpKind::Slice, node, {*outputGradients[0]}, std::move(attributes)));
    return gradients.accumulate(node.inputs[0], dx);
}

Inferred inferSlice(Types inputs, const Attributes& attributes) {
    const Operand x{"slice", "x", inputs[0]};
    LS_TRY(needFloat(x));
    const List& begin = listAttribute(attributes, "begin");
    const List& shape = listAttribute(attributes, "shape");
    LS_TRY(needLength(x, "begin", begin));
    LS_TRY(needLength(x, "shape", shape));
    for (std::size_t i = 0; i < begin.size(); ++i) {
        if (begin[i] + shape[i] <= x.type.shape[i]) continue;
        return mismatch("slice",
                        fmt::format("places {} to {} of axis {} are not in x {}", begin[i], begin[i] + shape[i] - 1, i, x.type.toText()));
    }
    return std::vector{TensorType{x.type.dtype, Shape(shape)}};
}

Result<void> gradientOfSlice(Gradients& gradients, const Node& node, OutputGradients outputGradients) {
    if (outputGradients.empty()) return lossItself(node);
    const List& begin = listAttribute(node.attributes, "begin");
    const List& shape = listAttribute(node.attributes, "shape");
    List after = gradients.graph().type(node.inputs[0]).shape.dims();
    for (std::size_t i = 0; i < after.size(); ++i) after[i] -= begin[i] + shape[i];
    Attributes attributes{{"before", begin}, {"after", std::move(after)}};
    LS_TRY_ASSIGN(const Value dx, gradients.append(OpKind::Pad, node, {*outputGradients[0]}, std::move(attributes)));
    return gradients.accumulate(node.inputs[0], dx);
}

Inferred inferConcat(Types inputs, const Attributes& attributes) {
    const Operand first{"concat", "input 0", inputs[0]};
    LS_TRY(needFloat(first));
    const auto axis = static_cast<std::size_t>(intAttribute(attributes, "axis"));
    if (axis >= first.type.shape.rank()) return mismatch("concat", fmt::format("{} has no axis {}", first.type.toText(), axis));
    List dims = first.type.shape.dims();
    for (std::size_t i = 1; i < inputs.size(); ++i) {
        const Operand other{"concat", "this input", inputs[i]};
        LS_TRY(needSameDType(first, other));
        LS_TRY(needRank(other, dims.size()));
        List wanted = first.type.shape.dims();
        wanted[axis] = inputs[i].shape[axis];
        LS_TRY(needShape(other, Shape(wanted)));
        dims[axis] += inputs[i].shape[axis];
    }
    return bounded("concat", first.type.dtype, std::move(dims));
}

Result<void> gradientOfConcat(Gradients& gradients, const Node& node, OutputGradients outputGradients) {
    if (outputGradients.empty()) return lossItself(node);
    const auto axis = static_cast<std::size_t>(intAttribute(node.attributes, "axis"));
    List begin(node.outputs[0].shape.rank(), 0);
    for (const Value& input : node.inputs) {
        const List dims = gradients.graph().type(input).shape.dims();
        if (gradients.wants(input)) {
            LS_TRY_ASSIGN(const Value dx, gradients.append(OpKind::Slice, node, {*outputGradients[0]}, sliceOf(begin, dims)));
            LS_TRY(gradients.accumulate(input, dx));
        }
        begin[axis] += dims[axis];
    }
    return {};
}

Inferred inferTranspose(Types inputs, const Attributes& attributes) {
    const Operand x{"transpose", "x", inputs[0]};
    LS_TRY(needFloat(x));
    const List& permutation = listAttribute(attributes, "permutation");
    LS_TRY(needLength(x, "permutation", permutation));
    List dims;
    for (std::int64_t axis = 0; axis < static_cast<std::int64_t>(permutation.size()); ++axis) {
        if (std::count(permutation.begin(), permutation.end(), axis) != 1) {
            return mismatch("transpose", fmt::format("permutation must name each axis of x {} once", x.type.toText()));
        }
    }
    for (const std::int64_t axis : permutation) dims.push_back(x.type.shape[static_cast<std::size_t>(axis)]);
    return std::vector{TensorType{x.type.dtype, Shape(std::move(dims))}};
}

Result<void> gradientOfTranspose(Gradients& gradients, const Node& node, OutputGradients outputGradients) {
    if (outputGradients.empty()) return lossItself(node);
    const List& permutation = listAttribute(node.attributes, "permutation");
    List back(permutation.size());
    for (std::size_t i = 0; i < permutation.size(); ++i) back[static_cast<std::size_t>(permutation[i])] = static_cast<std::int64_t>(i);
    Attributes attributes{{"permutation", std::move(back)}};
    LS_TRY_ASSIGN(const Value dx, gradients.append(OpKind::Transpose, node, {*outputGradients[0]}, std::move(attributes)));
    return gradients.accumulate(node.inputs[0], dx);
}

OpCost costOfMoving(Types inputs, Types outputs, const Attributes&) { return {0, bytesOf(inputs, outputs)}; }

OpCost costOfSlice(Types, Types outputs, const Attributes&) { return {0, 2 * bytesOf(outputs, {})}; }

Inferred inferCast(Types inputs, const Attributes& attributes) {
    const DType dtype = *dtypeNamed(textAttribute(attributes, "dtype"));
    if (!isFloat(dtype)) return mismatch("cast", "dtype must be f32, f64, bf16 or f16");
    return std::vector{TensorType{dtype, inputs[0].shape}};
}

Result<void> gradientOfCast(Gradients& gradients, const Node& node, OutputGradients outputGradients) {
    if (outputGradients.empty()) return lossItself(node);
    if (!gradients.wants(node.inputs[0])) return {};
    Attributes attributes{{"dtype", std::string(nameOf(gradients.graph().type(node.inputs[0]).dtype))}};
    LS_TRY_ASSIGN(const Value dx, gradients.append(OpKind::Cast, node, {*outputGradients[0]}, std::move(attributes)));
    return gradients.accumulate(node.inputs[0], dx);
}

}  // namespace lockstep::graph::rules
