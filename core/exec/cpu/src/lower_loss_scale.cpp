// Keras' LossScaleOptimizer: whether the optimizer's updates happen, and the next scale.
#include "lowering.h"

namespace lockstep::exec::cpu {

void Lowering::lowerUpdateIf() {
    const BufferId condition = plain(input(0)), copy = definePlain(result());
    emit({condition, copy}, [=](Pointers p) { *floats(p, copy) = *floats(p, condition); });
    m_plan.buffers.keepForever(copy);
    m_condition = copy;
}

void Lowering::lowerLossScaleUpdate() {
    const BufferId scale = plain(input(0)), counter = plain(input(1)), skipped = plain(input(2)), finite = plain(input(3));
    for (std::uint32_t i = 0; i < 3; ++i) m_places[m_at][i].plain = plain(input(i));
    const auto steps = static_cast<float>(graph::intAttribute(node().attributes, "growth_steps"));
    emit({scale, counter, skipped, finite}, [=](Pointers p) {
        if (*floats(p, finite) == 0.0F) {
            *floats(p, scale) /= 2;
            *floats(p, counter) = 0;
            *floats(p, skipped) += 1;
        } else if (*floats(p, counter) + 1 == steps) {
            *floats(p, scale) *= 2;
            *floats(p, counter) = 0;
        } else {
            *floats(p, counter) += 1;
        }
    });
}

}  // namespace lockstep::exec::cpu
