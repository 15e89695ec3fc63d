#include "lowering.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lockstep::exec::cpu {

using dnnl::memory;
using graph::Value;

// Element by element in the layout of the right operand, padding included: zero in, zero out.
Lowering::Elementwise Lowering::elementwise(Value left, Value right, Element element) {
    if (shape(result()).rank() == 4) {
        const memory::desc layout = with(layoutOf(right), element);
        const BufferId l = as(left, layout, Meaning::Picture), r = as(right, layout, Meaning::Picture);
        const BufferId target = defineOver({{left, l}, {right, r}}, result(), layout);
        return {l, r, target, layout.get_size() / memory::data_type_size(element)};
    }
    const BufferId l = plain(left), r = plain(right);
    return {l, r, definePlain(result()), elements(result())};
}

// Where pictures lie in memory as bfloat16, these need no copies in float32. False: the op, or its operands, are not of that kind.
bool Lowering::lowerBfloat16Pointwise() {
    using graph::OpKind;
    const OpKind op = node().op;
    if (op != OpKind::Relu && op != OpKind::ReluGrad && op != OpKind::Add) return false;
    if (shape(result()).rank() != 4 || elementOf(result()) != Element::bf16) return false;
    const Elementwise all = elementwise(input(0), input(op == OpKind::Relu ? 0 : 1), Element::bf16);
    const int threads = m_team.threads();
    const PrecisionLoops& loops = m_loops.precision;
    emit({all.left, all.right, all.target}, [=, &loops](Pointers p) {
        splitOver(threads, all.count, [&](std::size_t begin, std::size_t end) {
            const auto *left = elementsAt<Bfloat16>(p, all.left) + begin, *right = elementsAt<Bfloat16>(p, all.right) + begin;
            auto* target = elementsAt<Bfloat16>(p, all.target) + begin;
            if (op == OpKind::Relu)
                loops.reluBfloat16(left, target, end - begin);
            else
                (op == OpKind::Add ? loops.addBfloat16 : loops.reluGradBfloat16)(left, right, target, end - begin);
        });
    });
    return true;
}

template <class FactorOf>
void Lowering::emitUnary(UnaryLoop loop, std::initializer_list<BufferId> alsoRead, FactorOf factorOf) {
    const Elementwise all = elementwise(input(0), input(0));
    for (const BufferId buffer : alsoRead) m_plan.buffers.touch(buffer, static_cast<int>(m_plan.steps.size()));
    const int threads = m_team.threads();
    emit({all.left, all.target}, [=](Pointers p) {
        const float factor = factorOf(p);
        splitOver(threads, all.count, [&](std::size_t begin, std::size_t end) {
            loop(floats(p, all.left) + begin, floats(p, all.target) + begin, end - begin, factor);
        });
    });
}

void Lowering::emitUnary(UnaryLoop loop, double factor) {
    emitUnary(loop, {}, [factor = static_cast<float>(factor)](Pointers) { return factor; });
}

void Lowering::emitBinary(BinaryLoop loop, double exactFactor) {
    const Elementwise all = elementwise(input(0), input(1));
    const int threads = m_team.threads();
    const auto factor = static_cast<float>(exactFactor);
    emit({all.left, all.right, all.target}, [=](Pointers p) {
        splitOver(threads, all.count, [&](std::size_t begin, std::size_t end) {
            loop(floats(p, all.left) + begin, floats(p, all.right) + begin, floats(p, all.target) + begin, end - begin, factor);
        });
    });
}

void Lowering::lowerMulScalar() {
    const BufferId scalar = plain(input(1));
    emitUnary(m_loops.pointwise.scale, {scalar}, [scalar](Pointers p) { return *floats(p, scalar); });
}

// By the reciprocal: exact for the powers of two that loss scales are.
void Lowering::lowerDivScalar() {
    const BufferId scalar = plain(input(1));
    emitUnary(m_loops.pointwise.scale, {scalar}, [scalar](Pointers p) { return 1 / *floats(p, scalar); });
}

void Lowering::lowerClipByNorm() {
    const BufferId norm = plain(input(1));
    const double limit = graph::doubleAttribute(node().attributes, "limit");
    emitUnary(m_loops.pointwise.scale, {norm}, [=](Pointers p) {
        const auto length = static_cast<double>(*floats(p, norm));
        return std::isfinite(length) ? static_cast<float>(limit / std::max(length, limit)) : std::numeric_limits<float>::quiet_NaN();
    });
}

void Lowering::lowerBiasAdd() {
    const BufferId x = plain(input(0));
    const BufferId bias = plain(input(1));
    const BufferId out = definePlain(result());
    const std::size_t columns = elements(input(1));
    const std::size_t rows = elements(input(0)) / columns;
    const Loops& loops = m_loops;
    emit({x, bias, out},
         [=, &loops](Pointers p) { loops.pointwise.biasAdd(floats(p, x), floats(p, bias), floats(p, out), rows, columns, 0); });
}

void Lowering::lowerBiasGrad() {
    const BufferId dy = plain(input(0));
    const BufferId out = definePlain(result());
    const std::size_t columns = elements(result());
    const std::size_t rows = elements(input(0)) / columns;
    const Loops& loops = m_loops;
    emit({dy, out}, [=, &loops](Pointers p) { loops.pointwise.columnSums(floats(p, dy), floats(p, out), rows, columns); });
}

void Lowering::lowerReshape() {
    const BufferId source = plain(input(0));
    m_places[m_at][0].plain = source;
}

void Lowering::lowerSum(double (*sumOf)(const float* x, std::size_t n)) {
    struct Part {
        BufferId buffer;
        std::size_t count;
    };
    std::vector<Part> parts;
    for (const Value value : node().inputs) parts.push_back({plain(value), elements(value)});
    const BufferId out = definePlain(result());
    for (const Part& part : parts) m_plan.buffers.touch(part.buffer, static_cast<int>(m_plan.steps.size()));
    emit({out}, [=](Pointers p) {
        double sum = 0;
        for (const Part& part : parts) sum += sumOf(floats(p, part.buffer), part.count);
        *floats(p, out) = static_cast<float>(sum);
    });
}

void Lowering::lowerSqrt() {
    const BufferId x = plain(input(0));
    const BufferId out = definePlain(result());
    emit({x, out}, [=](Pointers p) { *floats(p, out) = std::sqrt(*floats(p, x)); });
}

}  // namespace lockstep::exec::cpu
