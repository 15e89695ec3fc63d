#include "lowering.h"

#include <cmath>

namespace lockstep::exec::cpu {

using dnnl::memory;
using graph::NodeId;
using graph::OpKind;
using graph::Value;

void Lowering::lowerUnary() {
    const Value x = input(0);
    BufferId source = 0;
    BufferId target = 0;
    std::size_t count = elements(x);
    if (shape(x).rank() == 4) {
        const memory::desc layout = layoutOf(x);
        source = as(x, layout, Meaning::Picture);
        target = define(result(), layout, Meaning::Picture);
        count = layout.get_size() / sizeof(float);
    } else {
        source = plain(x);
        target = definePlain(result());
    }
    const Loops& loops = m_loops;
    const int threads = m_team.threads();
    emit({source, target}, [=, &loops](Pointers p) {
        splitOver(threads, count, [&](std::size_t begin, std::size_t end) {
            loops.relu(floats(p, source) + begin, floats(p, target) + begin, end - begin);
        });
    });
}

// Add and ReluGrad: element by element in the layout of the second operand, padding included (zero in, zero out).
void Lowering::lowerBinary() {
    BufferId left = 0;
    BufferId right = 0;
    BufferId target = 0;
    std::size_t count = elements(result());
    if (shape(result()).rank() == 4) {
        const memory::desc layout = layoutOf(input(1));
        left = as(input(0), layout, Meaning::Picture);
        right = as(input(1), layout, Meaning::Picture);
        target = define(result(), layout, Meaning::Picture);
        count = layout.get_size() / sizeof(float);
    } else {
        left = plain(input(0));
        right = plain(input(1));
        target = definePlain(result());
    }
    const auto loop = node().op == OpKind::Add ? m_loops.add : m_loops.reluGrad;
    const int threads = m_team.threads();
    emit({left, right, target}, [=](Pointers p) {
        splitOver(threads, count, [&](std::size_t begin, std::size_t end) {
            loop(floats(p, left) + begin, floats(p, right) + begin, floats(p, target) + begin, end - begin);
        });
    });
}

void Lowering::lowerBiasAdd() {
    const BufferId x = plain(input(0));
    const BufferId bias = plain(input(1));
    const BufferId out = definePlain(result());
    const std::size_t columns = elements(input(1));
    const std::size_t rows = elements(input(0)) / columns;
    const Loops& loops = m_loops;
    emit({x, bias, out}, [=, &loops](Pointers p) { loops.biasAdd(floats(p, x), floats(p, bias), floats(p, out), rows, columns, 0); });
}

void Lowering::lowerBiasGrad() {
    const BufferId dy = plain(input(0));
    const BufferId out = definePlain(result());
    const std::size_t columns = elements(result());
    const std::size_t rows = elements(input(0)) / columns;
    const Loops& loops = m_loops;
    emit({dy, out}, [=, &loops](Pointers p) { loops.columnSums(floats(p, dy), floats(p, out), rows, columns); });
}

void Lowering::lowerReshape() {
    const BufferId source = plain(input(0));
    m_places[m_at][0].plain = source;
}

void Lowering::lowerSquareSum() {
    struct Part {
        BufferId buffer;
        std::size_t count;
    };
    std::vector<Part> parts;
    for (const Value value : node().inputs) parts.push_back({plain(value), elements(value)});
    const BufferId out = definePlain(result());
    for (const Part& part : parts) m_plan.buffers.touch(part.buffer, static_cast<int>(m_plan.steps.size()));
    const Loops& loops = m_loops;
    emit({out}, [=, &loops](Pointers p) {
        double sum = 0;
        for (const Part& part : parts) sum += loops.squareSum(floats(p, part.buffer), part.count);
        *floats(p, out) = static_cast<float>(sum);
    });
}

void Lowering::lowerSqrt() {
    const BufferId x = plain(input(0));
    const BufferId out = definePlain(result());
    emit({x, out}, [=](Pointers p) { *floats(p, out) = std::sqrt(*floats(p, x)); });
}

// The loss, its gradient, or both in one pass when the graph holds both.
void Lowering::lowerSoftmax() {
    const auto partner = m_lossGrads.find(NodeId{m_at});
    const bool isLoss = node().op == OpKind::SoftmaxCrossEntropy;
    const bool wantsGradient = !isLoss || partner != m_lossGrads.end();
    const BufferId logits = plain(input(0));
    const BufferId labels = plain(input(1));
    const BufferId weights = plain(input(2));
    const auto rows = static_cast<std::size_t>(shape(input(0))[0]);
    const auto classes = static_cast<std::size_t>(shape(input(0))[1]);
    const BufferId loss = isLoss ? definePlain(result()) : logits;
    BufferId gradient = logits;
    if (!isLoss) gradient = definePlain(result());
    if (isLoss && wantsGradient) {
        gradient = definePlain({partner->second, 0});
        m_lowered.insert(partner->second);
    }
    const Loops& loops = m_loops;
    emit({logits, labels, weights, loss, gradient}, [=, &loops](Pointers p) {
        loops.softmax({floats(p, logits), reinterpret_cast<const std::int32_t*>(p[labels]), floats(p, weights), rows, classes,
                       isLoss ? floats(p, loss) : nullptr, wantsGradient ? floats(p, gradient) : nullptr});
    });
}

void Lowering::lowerCorrect() {
    const BufferId logits = plain(input(0));
    const BufferId labels = plain(input(1));
    const BufferId weights = plain(input(2));
    const BufferId out = definePlain(result());
    const auto rows = static_cast<std::size_t>(shape(input(0))[0]);
    const auto classes = static_cast<std::size_t>(shape(input(0))[1]);
    const Loops& loops = m_loops;
    emit({logits, labels, weights, out}, [=, &loops](Pointers p) {
        *floats(p, out) = loops.correct(
            {floats(p, logits), reinterpret_cast<const std::int32_t*>(p[labels]), floats(p, weights), rows, classes, nullptr, nullptr});
    });
}

}  // namespace lockstep::exec::cpu
