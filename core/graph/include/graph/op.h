// The operations of the IR, one row each. A new op = one enumerator at the end, one row in op_table.cpp, one kernel in exec/ref and
// one case in tests/opcases.
#pragma once

#include <base/result.h>
#include <graph/types.h>

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lockstep::graph {

enum class OpKind : std::uint8_t {
    // Sources.
    Input,              // {} → [type of attribute]; fed at every step in the order of the nodes
    State,              // {} → persistent tensor with a name: weights, optimizer slots. Attribute role: "weight" | "slot".
    // Forward.
    MatMul,             // (a, b[, bias]) → a·b (+ bias) (then activation); attributes transpose_a, transpose_b, activation
    Conv2D,             // (x NHWC, w HWIO[, bias]) → NHWC; attributes strides [h,w], padding "same"|"valid", activation
    BiasAdd,            // (x, b[last axis]) → x + b
    Relu,               // x → max(x, 0)
    MaxPool2D,          // x NHWC → NHWC; attributes window [h,w], strides [h,w], padding
    Reshape,            // x → same elements; attribute shape
    Add,                // (a, b) same shape → a + b
    SoftmaxCrossEntropy,// (logits [n,c], labels i32 [n], weights [n]) → scalar Σ_i weights_i · (logsumexp(z_i) − z_i[y_i])
    CorrectPredictions, // (logits, labels, weights) → scalar Σ_i weights_i · [first argmax(z_i) == y_i]
    // Backward.
    ReluGrad,           // (dy, y) → dy where y > 0, else 0 (y is the output of Relu)
    BiasGrad,           // dy → sum over all axes but the last
    Conv2DInputGrad,    // (dy, w) → dx; attributes of the Conv2D and input_shape
    Conv2DFilterGrad,   // (x, dy) → dw; attributes of the Conv2D and filter_shape
    MaxPool2DGrad,      // (dy, x, y) → dx, to the first maximum of each window in row-major order
    SoftmaxCrossEntropyGrad, // (logits, labels, weights) → weights_i · (softmax(z_i) − onehot(y_i))
    // Reductions over ranks and values for people.
    SquareSum,          // (g...) → scalar Σ g², all inputs together
    Sqrt,               // scalar → scalar
    AllReduce,          // (g...) → (g...): sums over all ranks. Attribute bucket (0, 1, … in the order of readiness). See exec.
    // Updates. The first input is a State; outputs alias the State inputs, in their order (in place).
    SgdUpdate,          // (w, g, lr[, momentum slot]) → (w[, slot]); attributes momentum, nesterov
    AdamUpdate,         // (w, g, lr, step, m, v) → (w, m, v); attributes beta_1, beta_2, epsilon
};

using Attribute = std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>>;
// Sorted by name, so that text and comparison are canonical.
using Attributes = std::map<std::string, Attribute, std::less<>>;

// Attribute readers. Precondition: checked by the op's type rule before (verifier), so a missing one is a programming error;
// the `Or` versions give a default.
std::int64_t intAttribute(const Attributes& attributes, std::string_view name);
std::int64_t intAttributeOr(const Attributes& attributes, std::string_view name, std::int64_t fallback);
double doubleAttribute(const Attributes& attributes, std::string_view name);
std::string_view textAttribute(const Attributes& attributes, std::string_view name);
std::string_view textAttributeOr(const Attributes& attributes, std::string_view name, std::string_view fallback);
const std::vector<std::int64_t>& listAttribute(const Attributes& attributes, std::string_view name);

// Padding in front and output length of one spatial axis, TensorFlow's rules: valid: out = ⌈(in − window + 1)/stride⌉;
// same: out = ⌈in/stride⌉, total padding max((out − 1)·stride + window − in, 0), the smaller half in front.
struct WindowAxis {
    std::int64_t out = 0;
    std::int64_t padBefore = 0;
    std::int64_t padAfter = 0;
};
WindowAxis windowAxis(std::int64_t in, std::int64_t window, std::int64_t stride, std::string_view padding);

class Graph;
struct Node;
struct Value;
class Gradients;

// Work of one node, from shapes alone: the forecast and the roofline use it.
struct OpCost {
    double flops = 0;  // multiply and add count as two
    double bytes = 0;  // read + written once
};

struct OpRow {
    OpKind kind;
    std::string_view name;  // "conv2d" as in the text form
    int minInputs;
    int maxInputs;          // -1: any number
    // Types of the outputs; error S4xx names op, operand, axis and both shapes.
    Result<std::vector<TensorType>> (*infer)(std::span<const TensorType> inputs, const Attributes& attributes);
    // Gradient rule: adds nodes to the graph in `gradients` and accumulates into the node's inputs. nullptr = not differentiable.
    Result<void> (*gradient)(Gradients& gradients, const Node& node, std::span<const Value> outputGradients);
    OpCost (*cost)(std::span<const TensorType> inputs, std::span<const TensorType> outputs, const Attributes& attributes);
    bool updatesState;      // outputs alias the State inputs
};

const OpRow& opRow(OpKind kind);
const OpRow* findOpRow(std::string_view name);
std::span<const OpRow> opTable();

}  // namespace lockstep::graph
