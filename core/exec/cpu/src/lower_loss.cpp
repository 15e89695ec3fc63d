#include "lowering.h"

namespace lockstep::exec::cpu {

using graph::NodeId;
using graph::OpKind;

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

}  // namespace lockstep::exec::cpu
