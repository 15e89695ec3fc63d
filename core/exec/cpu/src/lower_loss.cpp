#include "lowering.h"
#include "target_losses.h"

namespace lockstep::exec::cpu {

using graph::NodeId;
using graph::OpKind;

// The loss, its gradient, or both in one pass when the graph holds both.
void Lowering::lowerSoftmax() {
    if (graph::intAttributeOr(node().attributes, "from_logits", 1) == 0)
        return node().op == OpKind::SoftmaxCrossEntropy ? lowerTargetLoss() : lowerTargetLossGrad(OpKind::SoftmaxCrossEntropy);
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
    const double smoothing = graph::doubleAttributeOr(node().attributes, "label_smoothing", 0);
    const Loops& loops = m_loops;
    emit({logits, labels, weights, loss, gradient}, [=, &loops](Pointers p) {
        loops.loss.softmax({floats(p, logits), reinterpret_cast<const std::int32_t*>(p[labels]), floats(p, weights), rows, classes,
                            isLoss ? floats(p, loss) : nullptr, wantsGradient ? floats(p, gradient) : nullptr, smoothing});
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
        *floats(p, out) = loops.loss.correct(
            {floats(p, logits), reinterpret_cast<const std::int32_t*>(p[labels]), floats(p, weights), rows, classes, nullptr, nullptr, 0});
    });
}

// Σ weights · loss over rows, also for hits: few numbers, so one thread.
void Lowering::lowerTargetLoss() {
    const TargetLoss loss = TargetLoss::of(node().op, node().attributes);
    const BufferId prediction = plain(input(0)), target = plain(input(1)), weights = plain(input(2)), out = definePlain(result());
    const bool hasLabels = m_graph.type(input(1)).dtype == graph::DType::I32;
    const auto rows = static_cast<std::size_t>(shape(input(0))[0]), columns = static_cast<std::size_t>(shape(input(0))[1]);
    emit({prediction, target, weights, out}, [=](Pointers p) {
        double sum = 0;
        for (std::size_t i = 0; i < rows; ++i) {
            const float* z = floats(p, prediction) + i * columns;
            const TargetRow row{z, hasLabels ? nullptr : floats(p, target) + i * columns,
                                hasLabels ? reinterpret_cast<const std::int32_t*>(p[target])[i] : 0, columns};
            sum += static_cast<double>(floats(p, weights)[i]) * loss.value(row);
        }
        *floats(p, out) = static_cast<float>(sum);
    });
}

void Lowering::lowerTargetLossGrad(OpKind op) {
    const TargetLoss loss = TargetLoss::of(op, node().attributes);
    const BufferId prediction = plain(input(0)), target = plain(input(1)), weights = plain(input(2)), out = definePlain(result());
    const bool hasLabels = m_graph.type(input(1)).dtype == graph::DType::I32;
    const auto rows = static_cast<std::size_t>(shape(input(0))[0]), columns = static_cast<std::size_t>(shape(input(0))[1]);
    emit({prediction, target, weights, out}, [=](Pointers p) {
        for (std::size_t i = 0; i < rows; ++i) {
            const float* z = floats(p, prediction) + i * columns;
            const TargetRow row{z, hasLabels ? nullptr : floats(p, target) + i * columns,
                                hasLabels ? reinterpret_cast<const std::int32_t*>(p[target])[i] : 0, columns};
            loss.gradient(row, static_cast<double>(floats(p, weights)[i]), floats(p, out) + i * columns);
        }
    });
}

}  // namespace lockstep::exec::cpu
