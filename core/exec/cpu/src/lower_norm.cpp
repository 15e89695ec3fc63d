// Batch normalisation by own loops: they walk whatever layout the convolutions left, so nothing is reordered between two of them.
#include "lowering.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace lockstep::exec::cpu {

using dnnl::memory;
using graph::OpKind;
using graph::Value;

namespace {

double epsilonOf(const graph::Node& node) { return graph::doubleAttribute(node.attributes, "epsilon"); }

bool isRectified(const graph::Node& node) { return graph::textAttributeOr(node.attributes, "activation", "") == "relu"; }

// How many rows a count says, of those there are.
std::size_t realRows(float count, std::size_t rows) {
    if (!(count > 0)) return 0;
    return std::min(static_cast<std::size_t>(count), rows);
}

double inverseDeviation(float variance, double epsilon) { return 1 / std::sqrt(static_cast<double>(variance) + epsilon); }

// Vectors per lane inside one buffer, so that padding lanes have coefficients too: zeros.
struct Coefficients {
    float* start;
    std::size_t lanes;
    float* mean() const { return start; }
    float* scale() const { return start + lanes; }
    float* shift() const { return start + 2 * lanes; }
    float* offset() const { return start + 3 * lanes; }
    float* slope() const { return start + 4 * lanes; }
};
constexpr std::size_t kVectors = 5;

}  // namespace

Lowering::NormTensor Lowering::normTensorOf(Value x) {
    const graph::Shape& shape = m_graph.type(x).shape;
    NormTensor tensor;
    tensor.view = channelViewOf(shape);
    tensor.rows = static_cast<std::size_t>(shape[0]);
    tensor.channels = static_cast<std::size_t>(shape.back());
    if (shape.rank() == 4) {
        const memory::desc desc = elementLayoutOf(x);
        const auto view = channelViewOf(desc);
        tensor.desc = view ? desc : plainDesc(shape, Meaning::Picture, elementOf(x));
        if (view) tensor.view = *view;
    }
    const std::size_t threads = elements(x) < kElementsWorthATeam ? 1 : static_cast<std::size_t>(m_team.threads());
    tensor.parts = std::min(threads, tensor.rows);
    return tensor;
}

BufferId Lowering::read(Value value, const NormTensor& tensor) {
    return tensor.desc ? as(value, *tensor.desc, Meaning::Picture) : plain(value);
}

BufferId Lowering::write(Value value, const NormTensor& tensor, std::initializer_list<std::pair<Value, BufferId>> over) {
    return tensor.desc ? defineOver(over, value, *tensor.desc) : definePlain(value);
}

void Lowering::lowerBatchMoments() {
    const NormTensor tensor = normTensorOf(input(0));
    const BufferId x = read(input(0), tensor);
    const BufferId count = plain(input(1));
    const BufferId mean = definePlain(result(0));
    const BufferId variance = definePlain(result(1));
    const std::size_t lanes = tensor.view.lanes();
    const BufferId partial = workspace(tensor.parts * 2 * lanes * sizeof(double));
    withLoops(tensor, [&](const auto& loops) {
        using E = typename std::decay_t<decltype(loops)>::Element;
        emit({x, count, mean, variance, partial}, [=, &loops](Pointers p) {
            const std::size_t rows = realRows(*floats(p, count), tensor.rows);
            auto* sums = reinterpret_cast<double*>(p[partial]);
            splitRows(tensor.parts, rows, [&](std::size_t part, RowRange range) {
                double* mine = sums + part * 2 * lanes;
                loops.moments(elementsAt<E>(p, x) + range.begin * tensor.view.image(), tensor.view, range.count(), mine, mine + lanes);
            });
            for (std::size_t c = 0; c < tensor.channels; ++c) {
                double average = sums[c], squares = sums[lanes + c];
                auto before = static_cast<double>(rowsOf(0, tensor.parts, rows).count());
                for (std::size_t part = 1; part < tensor.parts; ++part) {
                    const auto here = static_cast<double>(rowsOf(part, tensor.parts, rows).count());
                    if (here == 0) break;
                    const double distance = sums[part * 2 * lanes + c] - average, share = here / (before + here);
                    average += distance * share;
                    squares +=
                        sums[(part * 2 + 1) * lanes + c] + distance * distance * before * share * static_cast<double>(tensor.view.places);
                    before += here;
                }
                floats(p, mean)[c] = static_cast<float>(average);
                floats(p, variance)[c] =
                    static_cast<float>(squares / static_cast<double>(std::max(rows * tensor.view.places, std::size_t{1})));
            }
        });
    });
}

void Lowering::lowerBatchNormalize() {
    const NormTensor tensor = normTensorOf(input(0));
    const BufferId x = read(input(0), tensor);
    const BufferId mean = plain(input(1)), variance = plain(input(2)), gamma = plain(input(3)), beta = plain(input(4));
    const bool hasAddend = node().inputs.size() == 6;
    const BufferId addend = hasAddend ? read(input(5), tensor) : x;
    const BufferId y = write(result(), tensor, {{input(0), x}, {hasAddend ? input(5) : input(0), addend}});
    const std::size_t lanes = tensor.view.lanes();
    const BufferId vectors = workspace(3 * lanes * sizeof(float));
    const double epsilon = epsilonOf(node());
    const int rectify = isRectified(node()) ? 1 : 0;
    withLoops(tensor, [&](const auto& loops) {
        using E = typename std::decay_t<decltype(loops)>::Element;
        emit({x, mean, variance, gamma, beta, addend, y, vectors}, [=, &loops](Pointers p) {
            const Coefficients k{floats(p, vectors), lanes};
            std::fill_n(k.start, 3 * lanes, 0.0F);
            for (std::size_t c = 0; c < tensor.channels; ++c) {
                k.mean()[c] = floats(p, mean)[c];
                k.scale()[c] =
                    static_cast<float>(static_cast<double>(floats(p, gamma)[c]) * inverseDeviation(floats(p, variance)[c], epsilon));
                k.shift()[c] = floats(p, beta)[c];
            }
            splitRows(tensor.parts, tensor.rows, [&](std::size_t, RowRange range) {
                const std::size_t at = range.begin * tensor.view.image();
                const NormalizeCall<E> call{elementsAt<E>(p, x) + at,
                                            hasAddend ? elementsAt<E>(p, addend) + at : nullptr,
                                            elementsAt<E>(p, y) + at,
                                            k.mean(),
                                            k.scale(),
                                            k.shift(),
                                            rectify};
                loops.normalize(call, tensor.view, range.count());
            });
        });
    });
    // What the gradients need to know again which results were positive, without reading them.
    // What float16 rounds to 0 was positive before.
    const bool keepsSign = m_graph.type(result()).dtype != graph::DType::F16;
    if (rectify != 0 && !hasAddend && keepsSign) m_rectified.emplace(result(), vectors);
}

// How a gradient of the current node is masked: `y` is its last input when it has an activation.
Lowering::MaskPlan Lowering::maskOf(Value x, const NormTensor& tensor) {
    if (!isRectified(node())) return {GradMask::None, 0};
    const Value y = node().inputs.back();
    const auto known = m_rectified.find(y);
    if (known != m_rectified.end()) {
        const auto& made = m_graph.node(y.node).inputs;
        const bool sameStatistics = made[1] == input(2) && made[2] == input(3);
        if (made[0] == x && sameStatistics && epsilonOf(m_graph.node(y.node)) == epsilonOf(node()))
            return {GradMask::ByInput, known->second};
    }
    return {GradMask::ByResult, read(y, tensor)};
}

// The gradient a normalisation starts from. Where findSums() left the sum and its mask to be made here, total is that value's memory.
Lowering::SumPlan Lowering::takeSum(Value dy, const NormTensor& tensor) {
    const auto known = m_sums.find(dy);
    if (known == m_sums.end() || isRectified(node())) {
        const BufferId only = read(dy, tensor);
        return {only, only, only, only, false};
    }
    const auto& sum = m_graph.node(known->second).inputs;
    m_sums.erase(known);
    const BufferId left = read(sum[0], tensor), right = read(sum[1], tensor), mask = read(m_graph.node(dy.node).inputs[1], tensor);
    return {left, right, mask, write(dy, tensor, {{sum[0], left}, {sum[1], right}}), true};
}

void Lowering::lowerBatchNormReduceGrad() {
    const Value x = input(1);
    const NormTensor tensor = normTensorOf(x);
    const bool hasCount = node().inputs.size() == (isRectified(node()) ? 6U : 5U);
    const SumPlan sum = takeSum(input(0), tensor);
    const BufferId dy = sum.left;
    const BufferId source = read(x, tensor);
    const BufferId mean = plain(input(2)), variance = plain(input(3));
    const BufferId count = hasCount ? plain(input(4)) : mean;
    const MaskPlan mask = sum.isSum ? MaskPlan{GradMask::ByResult, sum.mask} : maskOf(x, tensor);
    const BufferId masked = mask.kind == GradMask::None ? source : mask.buffer;
    const BufferId dgamma = definePlain(result(0)), dbeta = definePlain(result(1));
    const std::size_t lanes = tensor.view.lanes();
    const BufferId partial = workspace(tensor.parts * 2 * lanes * sizeof(double) + lanes * sizeof(float));
    const double epsilon = epsilonOf(node());
    withLoops(tensor, [&](const auto& loops) {
        using E = typename std::decay_t<decltype(loops)>::Element;
        emit({dy, sum.right, sum.total, source, mean, variance, count, masked, dgamma, dbeta, partial}, [=, &loops](Pointers p) {
            const std::size_t rows = hasCount ? realRows(*floats(p, count), tensor.rows) : tensor.rows;
            auto* sums = reinterpret_cast<double*>(p[partial]);
            auto* means = reinterpret_cast<float*>(sums + tensor.parts * 2 * lanes);
            std::fill_n(means, lanes, 0.0F);
            std::copy_n(floats(p, mean), tensor.channels, means);
            const auto reduce = [&](RowRange range, double* mine) {
                const std::size_t at = range.begin * tensor.view.image();
                NormGradCall<E> call{};
                call.dy = elementsAt<E>(p, dy) + at;
                call.x = elementsAt<E>(p, source) + at;
                call.mask = mask.kind;
                call.mean = call.scale = means;
                if (mask.kind == GradMask::ByResult) call.y = elementsAt<E>(p, masked) + at;
                if (mask.kind == GradMask::ByInput) {
                    const Coefficients k{floats(p, masked), lanes};
                    call.scale = k.scale();
                    call.shift = k.shift();
                }
                if (sum.isSum) {
                    call.also = elementsAt<E>(p, sum.right) + at;
                    call.total = elementsAt<E>(p, sum.total) + at;
                }
                loops.reduceGrad(call, tensor.view, range.count(), mine, mine + lanes);
            };
            splitRows(tensor.parts, rows, [&](std::size_t part, RowRange range) { reduce(range, sums + part * 2 * lanes); });
            for (std::size_t c = 0; c < tensor.channels; ++c) {
                double products = 0, total = 0;
                for (std::size_t part = 0; part < tensor.parts; ++part) {
                    products += sums[part * 2 * lanes + c];
                    total += sums[(part * 2 + 1) * lanes + c];
                }
                floats(p, dgamma)[c] = static_cast<float>(products * inverseDeviation(floats(p, variance)[c], epsilon));
                floats(p, dbeta)[c] = static_cast<float>(total);
            }
            // The padding rows' part of the sum is somebody's gradient too.
            if (sum.isSum && rows < tensor.rows) reduce({rows, tensor.rows}, sums);
        });
    });
}

void Lowering::lowerBatchNormInputGrad() {
    const Value x = input(1);
    const NormTensor tensor = normTensorOf(x);
    const BufferId dy = read(input(0), tensor), source = read(x, tensor);
    const BufferId mean = plain(input(2)), variance = plain(input(3)), gamma = plain(input(4));
    const BufferId dgamma = plain(input(5)), dbeta = plain(input(6)), count = plain(input(7));
    const MaskPlan mask = maskOf(x, tensor);
    const BufferId masked = mask.kind == GradMask::None ? source : mask.buffer;
    const BufferId dx = write(result(), tensor, {{input(0), dy}});
    const std::size_t lanes = tensor.view.lanes();
    const BufferId vectors = workspace(kVectors * lanes * sizeof(float));
    const double epsilon = epsilonOf(node());
    withLoops(tensor, [&](const auto& loops) {
        using E = typename std::decay_t<decltype(loops)>::Element;
        emit({dy, source, mean, variance, gamma, dgamma, dbeta, count, masked, dx, vectors}, [=, &loops](Pointers p) {
            const Coefficients k{floats(p, vectors), lanes};
            const std::size_t rows = realRows(*floats(p, count), tensor.rows), image = tensor.view.image();
            const auto places = static_cast<double>(std::max(rows * tensor.view.places, std::size_t{1}));
            std::fill_n(k.start, kVectors * lanes, 0.0F);
            for (std::size_t c = 0; c < tensor.channels; ++c) {
                const double inverse = inverseDeviation(floats(p, variance)[c], epsilon);
                k.mean()[c] = floats(p, mean)[c];
                k.scale()[c] = static_cast<float>(static_cast<double>(floats(p, gamma)[c]) * inverse);
                k.offset()[c] = static_cast<float>(static_cast<double>(floats(p, dbeta)[c]) / places);
                k.slope()[c] = static_cast<float>(static_cast<double>(floats(p, dgamma)[c]) * inverse / places);
            }
            if (mask.kind == GradMask::ByInput) std::copy_n(Coefficients{floats(p, masked), lanes}.shift(), lanes, k.shift());
            splitRows(tensor.parts, rows, [&](std::size_t, RowRange range) {
                const std::size_t at = range.begin * image;
                NormGradCall<E> call{};
                call.dy = elementsAt<E>(p, dy) + at;
                call.x = elementsAt<E>(p, source) + at;
                call.mask = mask.kind;
                if (mask.kind == GradMask::ByResult) call.y = elementsAt<E>(p, masked) + at;
                call.mean = k.mean();
                call.scale = k.scale();
                call.shift = k.shift();
                call.dx = elementsAt<E>(p, dx) + at;
                call.offset = k.offset();
                call.slope = k.slope();
                loops.inputGrad(call, tensor.view, range.count());
            });
            std::fill_n(elementsAt<E>(p, dx) + rows * image, (tensor.rows - rows) * image, E{});
        });
    });
}

// dx = gamma / √(variance + epsilon) · dy: the gradient of NormGradCall with nothing to take off.
void Lowering::lowerBatchNormFrozenGrad() {
    const NormTensor tensor = normTensorOf(input(0));
    const BufferId dy = read(input(0), tensor);
    const BufferId variance = plain(input(1)), gamma = plain(input(2));
    const bool rectified = isRectified(node());
    const BufferId y = rectified ? read(node().inputs.back(), tensor) : dy;
    const BufferId dx = write(result(), tensor, {{input(0), dy}});
    const std::size_t lanes = tensor.view.lanes();
    const BufferId vectors = workspace(kVectors * lanes * sizeof(float));
    const double epsilon = epsilonOf(node());
    withLoops(tensor, [&](const auto& loops) {
        using E = typename std::decay_t<decltype(loops)>::Element;
        emit({dy, variance, gamma, y, dx, vectors}, [=, &loops](Pointers p) {
            const Coefficients k{floats(p, vectors), lanes};
            std::fill_n(k.start, kVectors * lanes, 0.0F);
            for (std::size_t c = 0; c < tensor.channels; ++c)
                k.scale()[c] =
                    static_cast<float>(static_cast<double>(floats(p, gamma)[c]) * inverseDeviation(floats(p, variance)[c], epsilon));
            splitRows(tensor.parts, tensor.rows, [&](std::size_t, RowRange range) {
                const std::size_t at = range.begin * tensor.view.image();
                NormGradCall<E> call{};
                call.dy = call.x = elementsAt<E>(p, dy) + at;
                call.mask = rectified ? GradMask::ByResult : GradMask::None;
                if (rectified) call.y = elementsAt<E>(p, y) + at;
                call.mean = k.mean();
                call.scale = k.scale();
                call.dx = elementsAt<E>(p, dx) + at;
                call.offset = k.offset();
                call.slope = k.slope();
                loops.inputGrad(call, tensor.view, range.count());
            });
        });
    });
}

}  // namespace lockstep::exec::cpu
