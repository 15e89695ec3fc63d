// The operations of the IR, one row each. A new op = one enumerator at the end, one row in op_table.cpp, one kernel in exec/ref and
// one case in tests/opcases.
//
// Common rules. T is F32, F64, BF16 or F16; all float operands of a node have the same T and so have its outputs; I32 is for labels and
// ids. 16-bit T: every element is computed as in F32 and rounded once, to nearest even (F16 overflows to infinity; half.h); scalars, the
// vectors and moments of normalisations and their gradients are F32 beside it; losses, hits, reductions over ranks or tensors, and updates
// take F32 and F64 only (Keras: losses, metrics and variables are float32). Where rows below say T of a scalar or vector, read F32 then.
// Every dimension is ≥ 1, rank ≤ 8. An attribute that is not named here is refused; one in [brackets] may be absent and then has the value
// given. Flags are integers 0 or 1. Scalars have shape []. Factors are doubles, used in double and rounded with the result. "float32"
// behind a factor: rounded to float32 before use in every T, because Keras computes with it so (tests/fixtures/opcases has the numbers).
// count: how many rows (axis 0) are real, a scalar of T that holds a whole number; the rest is padding of an uneven last batch.
#pragma once

#include <base/result.h>
#include <graph/types.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lockstep::graph {

enum class OpKind : std::uint8_t {
    // Sources. Attributes dtype ("f32" | "f64" | "i32" | "bf16" | "f16") and shape say the type; Graph::input and Graph::state fill them.
    Input,  // {} → fed at every step; feeds follow the order of the nodes
    State,  // {} → persistent tensor with a name. Attribute role: "weight" (trained) | "slot" (an optimizer's, an accumulator) |
            // "statistic" (kept and saved with the weights, but no gradient flows to it: moving averages).
    // Forward. Activation: ["" | "relu"], applied to the result after the bias.
    MatMul,               // (a [m,k], b [k,n][, bias [n]]) → [m,n] = a·b (+ bias on every row); [transpose_a 0]: a is given as [k,m];
                          // [transpose_b 0]: b as [n,k]; [activation ""]
    Conv2D,               // (x NHWC, w [kh,kw,c/groups,o][, bias [o]]) → [n,oh,ow,o], cross-correlation, as TensorFlow; strides [h,w],
                          // padding "same"|"valid" (zeros; windowAxis below, its window (k − 1)·dilation + 1), [dilations [1,1]],
                          // [activation ""]; [groups 1]: output channel j sees the input channels of group j / (o/groups) only.
                          // Depthwise = groups c: Keras' kernel [kh,kw,c,m] is the same bytes as [kh,kw,1,c·m]
    BiasAdd,              // (x, b [last axis of x]) → x + b
    Relu,                 // x → max(x, 0)
    MaxPool2D,            // x NHWC → NHWC; window [h,w], strides [h,w], padding; padded places never win
    Reshape,              // x → the same elements in the same order; shape. May share its input's memory (exec/arena.h)
    Add,                  // (a, b) of the same shape → a + b
    SoftmaxCrossEntropy,  // (logits [n,c], labels i32 [n] in [0,c), weights T [n]) → scalar Σ_i weights_i · Σ_j t_ij·(logsumexp(z_i) −
                          // z_ij), t_i = onehot(y_i)·(1 − s) + s/c with s = [label_smoothing 0]. [from_logits 1]: 0 = the
                          // first input holds probabilities, and z is the log of them clipped to [1e-7, 1 − 1e-7] (Keras)
    CorrectPredictions,  // (logits, labels, weights) → scalar Σ_i weights_i · [the first argmax of z_i is y_i]
    // Backward.
    ReluGrad,                 // (dy, y) → dy where y > 0, else 0 (y is the output of Relu, or of a fused node with activation "relu")
    BiasGrad,                 // dy → [last axis]: sum over all axes but the last
    Conv2DInputGrad,          // (dy, w) → dx; strides, padding, dilations, groups of the Conv2D and input_shape [n,h,w,c]
    Conv2DFilterGrad,         // (x, dy) → dw; strides, padding, dilations, groups of the Conv2D and filter_shape [kh,kw,c/groups,o]
    MaxPool2DGrad,            // (dy, x, y) → dx: each dy goes to the first maximum of its window in row-major order, overlaps add up;
                              // attributes of the MaxPool2D
    SoftmaxCrossEntropyGrad,  // (logits, labels, weights) → [n,c]: weights_i · (softmax(z_i) − t_i); the gradient of Σ is 1
    // Reductions over ranks and values for people.
    SquareSum,  // (g...) → scalar Σ g², all inputs together
    Sqrt,       // scalar → scalar
    AllReduce,  // (g...) → (g...): sums over all ranks, in place: outputs share the inputs' memory, which lies in one piece in
                // the order of the inputs (exec/arena.h). Attribute bucket = 0, 1, … in the order of the nodes. The inputs
                // are computed values (no Input, State or Reshape of one), read by nothing after this node; see exec.
    // Updates. The first input is a State; outputs alias the State inputs, in their order (in place). lr and step are scalars of T.
    // Formulas are evaluated per element in T, factors computed once in double and then rounded to T. [weight_decay 0] (float32) is
    // decoupled and comes first: w −= w·weight_decay·lr. Formulas of Keras 3 (optimizers/*.py).
    SgdUpdate,   // (w, g, lr[, slot]) → (w[, slot]); momentum, nesterov flag. Without a slot (momentum is 0): w −= lr·g.
                 // With: slot = momentum·slot − lr·g, then w += slot, or with nesterov w += momentum·slot − lr·g.
                 // nn stores momentum already rounded to float32, as Keras computes with it even in float64.
    AdamUpdate,  // (w, g, lr, step, m, v[, vhat]) → (w, m, v[, vhat]); beta_1, beta_2, epsilon as the user wrote them (double). With
                 // α = lr·√(1 − b2^step)/(1 − b1^step) in double, b1 = double(float(beta_1)) and b2 likewise (Keras' rounding, in
                 // float64 runs too): m += (g − m)·(1 − beta_1); v += (g² − v)·(1 − beta_2); w −= m·α/(√v + epsilon).
                 // step counts from 1. amsgrad: vhat = max(vhat, v) stands for v in the last one
    // Batch normalisation over all axes but the last, c = its length, M = count · elements of a row / c. Four nodes, so that a pass can
    // put AllReduces between them (synchronized statistics).
    BatchMoments,    // (x [n,…,c], count) → (mean [c], variance [c]): population moments of the first count rows, in two passes (as
                     // tf.nn.moments); count 0 → zeros
    BatchNormalize,  // (x [n,…,c], mean [c], variance [c], gamma [c], beta [c][, addend like x]) →
                     // (x − mean)·gamma/√(variance + epsilon) + beta [+ addend], then [activation ""]; epsilon.
                     // Differentiable in x when mean and variance are both outputs of one BatchMoments of the same x (their own
                     // path is folded into dx, so none leads through the BatchMoments) or when no weight leads to them (frozen)
    BatchNormReduceGrad,  // (dy, x, mean, variance[, count][, y]) → (dgamma, dbeta): Σ dy·x̂ and Σ dy over the first count rows (without
                          // count: all); x̂ = (x − mean)/√(variance + epsilon). epsilon, [activation ""]: with "relu" y is the last
                          // input and dy counts only where y > 0
    BatchNormInputGrad,  // (dy, x, mean, variance, gamma, dgamma, dbeta, count[, y]) → dx = gamma/√(variance + epsilon) · (dy − dbeta/M
                         // − x̂·dgamma/M), 0 in rows from count on; epsilon, [activation ""] as above
    BatchNormFrozenGrad,  // (dy, variance, gamma[, y]) → dx = gamma/√(variance + epsilon) · dy, for statistics that don't depend on x;
                          // epsilon, [activation ""] as above
    MovingUpdate,  // (state, value[, count]) → state·momentum + value·(1 − momentum), in place: an update; momentum (double: Keras
    // does not round this one to float32). With a count of 0 the state stays. [bessel 0]: places per row; when not 0, value is first
    // multiplied by N/max(N − 1, 1), N = count·bessel
    // (tf_keras' moving variance)
    AvgPool2D,      // x NHWC → NHWC; window, strides, padding as MaxPool2D; divides by the number of real places (TensorFlow)
    AvgPool2DGrad,  // dy → dx; attributes of the AvgPool2D and input_shape
    // Arithmetic.
    Scale,       // x → factor·x; factor
    AddScaled,   // (a, b) of the same shape → a + factor·b; factor
    Mul,         // (a, b) of the same shape → a·b
    MulScalar,   // (x, s scalar) → x·s. Differentiable in x only. As the loss itself x is a scalar, and s its gradient (loss scale)
    ClipByNorm,  // (g, norm scalar) → g·limit/max(norm, limit); limit > 0. A norm that is not finite gives NaN (Keras' global_clipnorm)
    ClipValue,   // g → min(max(g, −limit), limit); limit > 0. NaN stays NaN
    // More updates, see above.
    RmsPropUpdate,  // (w, g, lr, v[, slot][, average]) → the States; rho, epsilon, momentum, centered flag (doubles).
                    // v = rho·v + (1 − rho)·g²; centered: average = rho·average + (1 − rho)·g, d = v − average² + epsilon, else
                    // d = v + epsilon; i = lr·g/√d; momentum not 0: slot = momentum·slot + i, w −= slot; else w −= i
    AdagradUpdate,  // (w, g, lr, accumulator) → (w, accumulator): accumulator += g²; w −= lr·g/√(accumulator + epsilon); epsilon
    LionUpdate,  // (w, g, lr, m) → (w, m); beta_1, beta_2 (both float32, also in 1 − beta): w −= lr·sign(m·beta_1 + g·(1 − beta_1)),
                 // then m = m·beta_2 + g·(1 − beta_2)
    LambUpdate,  // (w, g, lr, step, m, v) → (w, m, v); beta_1, beta_2, epsilon. m, v, b1, b2 as in AdamUpdate; u = m/(1 − b1^step) /
                 // (√(v/(1 − b2^step)) + epsilon); w −= lr·u·‖w‖/‖u‖, the ratio being 1 when one of the norms is 0
    Accumulate,  // (acc State, value, keep scalar) → acc = value when keep is 0 (whatever acc holds, NaN too), else keep·acc + value.
                 // In place like an update, but made to be read afterwards, as this node's output
    // Activations.
    Activate,       // x → f(x); kind: "relu6" | "leaky_relu" ([alpha 0.3] (float32)) | "elu" ([alpha 1]) | "gelu" (erf) |
                    // "gelu_tanh" | "silu" | "tanh" | "sigmoid" | "softplus"
    ActivateGrad,   // (dy, x) → dy·f'(x); attributes of the Activate. At the kinks 0 for relu6 and alpha for leaky_relu (TensorFlow)
    Softmax,        // x → softmax over the last axis
    SoftmaxGrad,    // (dy, y) → y·(dy − Σ dy·y)
    LayerNorm,      // (x, gamma [c], beta [c]) → (y, mean, rstd): over the last axis, c = its length; rstd = 1/√(variance + epsilon),
                    // both without the last axis; y = (x − mean)·rstd·gamma + beta; epsilon. Only y has a gradient
    LayerNormGrad,  // (dy, x, mean, rstd, gamma) → (dx, dgamma, dbeta)
    Dropout,  // (x, step, first_row scalars) → x/(1 − rate) where u ≥ rate, else 0; rate, seed. u of dropout.h from (seed, step,
              // first_row + row, element of the row): the same on any split of rows. step and first_row are whole numbers below
              // 2^32 (so far as T holds them). Its gradient is the same node over dy; two layers need two seeds
    // Shapes.
    Pad,          // x → zeros around it; before, after: places per axis
    Slice,        // x → its places begin … begin + shape − 1; begin, shape per axis
    Concat,       // (x…) → side by side along axis
    Transpose,    // x → y, axis i of y is axis permutation[i] of x
    BatchMatMul,  // (a […,m,k], b […,k,n]) → […,m,n], the same leading axes; [transpose_a 0], [transpose_b 0] as MatMul
    Gather,       // (table [v,d], ids i32 […]) → […,d]; NaN for an id that is not in the table (the loop's guard sees it)
    GatherGrad,   // (dy […,d], ids) → [rows,d]: the sum of dy per id; ids that are not in the table add nothing; rows
    // Losses on targets of the prediction's shape, and hits. Each is a scalar Σ_i weights_i · loss_i, differentiable in its first input
    // as the loss itself or inside one; the gradients (…Grad, same inputs and attributes) are of that sum. [from_logits 1]: 0 = the
    // prediction holds probabilities, Keras' clipping to [1e-7, 1 − 1e-7] (no gradient outside). s = [label_smoothing 0].
    CategoricalCrossEntropy,  // (prediction [n,c], target [n,c], weights [n]): −Σ_j t_ij·log p_ij, t = target·(1 − s) + s/c; p from
                              // probabilities: divided by their sum, then clipped
    CategoricalCrossEntropyGrad,
    BinaryCrossEntropy,  // the same inputs: mean over j of −t·log p − (1 − t)·log(1 − p), t = target·(1 − s) + s/2, p = sigmoid(z)
    BinaryCrossEntropyGrad,
    RegressionLoss,  // the same inputs: mean over j of the error e = prediction − target; kind: "mse" e² | "mae" |e| | "huber" e²/2 up to
                     // |e| = delta, then delta·|e| − delta²/2, [delta 1]
    RegressionLossGrad,
    TopKCorrect,  // (logits [n,c], labels i32 [n], weights [n]) → scalar Σ_i weights_i · [fewer than k logits are above that of the
                  // label]; k. A row with a logit that is not finite is no hit (tf.math.in_top_k)
    BinaryCorrect,  // (prediction [n,c], target [n,c], weights [n]) → Σ_i weights_i · mean_j [target = (prediction > threshold)]; threshold
    CategoricalCorrect,  // the same inputs → Σ_i weights_i · [first argmax of prediction = first argmax of target]
    AllFinite,           // (g…) → scalar 1 when no element is infinite or NaN, else 0
    Cast,                // x (any type) → the same numbers, rounded, in dtype "f32" | "f64" | "bf16" | "f16"; a gradient is cast back
    // Loss scale (Keras' LossScaleOptimizer).
    DivScalar,  // (x, s scalar) → x/s
    UpdateIf,   // condition scalar → the same. When it is 0, the updates behind this node (isOptional below) leave their States as they
                // are in this run
    LossScaleUpdate,  // (scale, counter, skipped States, finite scalar; all scalars of T) → the States. finite not 0: when counter + 1 =
                      // growth_steps then scale·2 and counter 0, else counter + 1. finite 0: scale/2, counter 0, skipped + 1
    // Regularizers.
    AbsSum,  // (g…) → scalar Σ |g|, all inputs together
    Sign,    // x → −1 below 0, 1 above, else 0; NaN stays NaN
    // Metrics of counts.
    ConfusionCounts,  // (prediction [n,c], target [n,c], weights [n]) → [2, b]: Σ weights_i of the elements in each bucket, of those with a
    // target other than 0 in row 0, of the others in row 1. kind: "even": b = buckets, ⌈min(p, 1)·(b − 1)⌉ − 1, at least
    // 0 | "above": b = 2, [p > threshold], [threshold 0.5] | "top_k": b = 2, whether p is among the k largest of its
    // row, of equal ones the first, [k 1]. A NaN is in bucket 0
};
inline constexpr std::size_t kOpKinds = 72;

using Attribute = std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>>;
// Sorted by name, so that text and comparison are canonical.
using Attributes = std::map<std::string, Attribute, std::less<>>;

// Attribute readers. Precondition: checked by the op's type rule before (verifier), so a missing one is a programming error;
// the `Or` versions give a default.
std::int64_t intAttribute(const Attributes& attributes, std::string_view name);
std::int64_t intAttributeOr(const Attributes& attributes, std::string_view name, std::int64_t fallback);
double doubleAttribute(const Attributes& attributes, std::string_view name);
double doubleAttributeOr(const Attributes& attributes, std::string_view name, double fallback);
std::string_view textAttribute(const Attributes& attributes, std::string_view name);
std::string_view textAttributeOr(const Attributes& attributes, std::string_view name, std::string_view fallback);
const std::vector<std::int64_t>& listAttribute(const Attributes& attributes, std::string_view name);
std::vector<std::int64_t> listAttributeOr(const Attributes& attributes, std::string_view name, std::vector<std::int64_t> fallback);

// Padding in front and output length of one spatial axis, TensorFlow's rules: valid: out = ⌈(in − window + 1)/stride⌉;
// same: out = ⌈in/stride⌉, total padding max((out − 1)·stride + window − in, 0), the smaller half in front.
struct WindowAxis {
    std::int64_t out = 0;
    std::int64_t padBefore = 0;
    std::int64_t padAfter = 0;
};
WindowAxis windowAxis(std::int64_t in, std::int64_t window, std::int64_t stride, std::string_view padding);
// Places that a filter of `window` elements spans, its elements `dilation` apart.
constexpr std::int64_t dilatedWindow(std::int64_t window, std::int64_t dilation) { return (window - 1) * dilation + 1; }

class Graph;
struct Node;
struct Value;
class Gradients;

// Work of one node, from shapes alone: the forecast and the roofline use it.
struct OpCost {
    double flops = 0;  // multiply and add count as two
    double bytes = 0;  // read + written once
};

// What an attribute may hold; append() checks it, so that type rules and kernels need not.
enum class AttributeKind : std::uint8_t {
    Flag,      // 0 or 1
    Count,     // integer ≥ 0
    Real,      // finite double
    Positive,  // finite double > 0
    Portion,   // double from 0 to 1
    Whole,     // any integer
    Text,
    Type,        // "f32", "f64", "i32", "bf16", "f16"
    Padding,     // "same", "valid"
    Activation,  // "", "relu"
    Pair,        // two integers ≥ 1
    Dims,        // up to eight integers ≥ 1, product ≤ 2^40
    Offsets,     // up to eight integers ≥ 0, each ≤ 2^40
};
enum class Presence : std::uint8_t { Required, Optional };
struct AttributeSpec {
    std::string_view name;
    AttributeKind kind;
    Presence presence = Presence::Required;
};

struct OpRow {
    OpKind kind;
    std::string_view name;  // "conv2d" as in the text form
    int minInputs;
    int maxInputs;  // -1: any number
    std::span<const AttributeSpec> attributes;
    // Types of the outputs; error S403 names op, operand, axis and both shapes. Precondition: arity and attributes are checked.
    Result<std::vector<TensorType>> (*infer)(std::span<const TensorType> inputs, const Attributes& attributes);
    // Gradient rule: adds nodes to the graph in `gradients` and accumulates into those inputs that want one (gradients.h).
    // `outputGradients`: one per output, at least one is there; it is empty when the node is the loss itself: then its gradient is 1.
    // nullptr = not differentiable.
    Result<void> (*gradient)(Gradients& gradients, const Node& node, std::span<const std::optional<Value>> outputGradients);
    OpCost (*cost)(std::span<const TensorType> inputs, std::span<const TensorType> outputs, const Attributes& attributes);
    bool updatesState;  // outputs alias the State inputs (stateInputs below); later nodes may read the outputs, not the States
};

const OpRow& opRow(OpKind kind);
const OpRow* findOpRow(std::string_view name);
std::span<const OpRow> opTable();

// Which inputs of an update are States that its outputs alias, in order: output i aliases input stateInputs(node)[i]. Empty for others.
std::span<const std::size_t> stateInputs(const Node& node);

// Whether an UpdateIf may keep the node from changing its States: the optimizers' updates.
bool isOptional(OpKind kind);

// Work of one node of a graph, by its row.
OpCost costOf(const Graph& graph, const Node& node);

}  // namespace lockstep::graph
