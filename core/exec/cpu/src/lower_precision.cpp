// Values of 16-bit types.
#include "lowering.h"

#include <cstring>

namespace lockstep::exec::cpu {

using graph::DType;
using graph::Value;

namespace {

std::uint16_t* halves(Pointers pointers, BufferId id) { return reinterpret_cast<std::uint16_t*>(pointers[id]); }

}  // namespace

const NarrowLoops& Lowering::narrowLoops(DType dtype) const {
    return dtype == DType::BF16 ? m_loops.precision.bfloat16 : m_loops.precision.float16;
}

// An Input or State in 16 bits, read anew in every run.
void Lowering::lowerNarrowSource(BufferId bits) {
    const NarrowLoops& loops = narrowLoops(node().outputs[0].dtype);
    const BufferId wide = definePlain(result());
    m_unrounded.clear();
    const std::size_t count = elements(result());
    emit({bits, wide}, [=, &loops](Pointers p) { loops.widen(halves(p, bits), floats(p, wide), count); });
}

// The value in 16 bits, for whoever reads an output.
BufferId Lowering::narrowed(Value value) {
    const NarrowLoops& loops = narrowLoops(m_graph.type(value).dtype);
    const BufferId wide = plain(value);
    const std::size_t count = elements(value);
    const BufferId bits = m_plan.buffers.add(count * sizeof(std::uint16_t), Category::Activation, Lifetime::Steps);
    emit({wide, bits}, [=, &loops](Pointers p) { loops.narrow(floats(p, wide), halves(p, bits), count); });
    return bits;
}

void Lowering::roundResults() {
    const int threads = m_team.threads();
    for (const Unrounded& one : m_unrounded) {
        const NarrowLoops& loops = narrowLoops(one.dtype);
        emit({one.buffer}, [=, &loops](Pointers p) {
            splitOver(threads, one.count,
                      [&](std::size_t begin, std::size_t end) { loops.round(floats(p, one.buffer) + begin, end - begin); });
        });
    }
    m_unrounded.clear();
}

void Lowering::lowerCast() {
    const Value from = input(0);
    const DType source = m_graph.type(from).dtype, target = node().outputs[0].dtype;
    if (source == DType::I32) {
        const BufferId x = plain(from), y = definePlain(result());
        const std::size_t count = elements(from);
        return emit({x, y}, [=](Pointers p) {
            const auto* numbers = reinterpret_cast<const std::int32_t*>(p[x]);
            for (std::size_t i = 0; i < count; ++i) floats(p, y)[i] = static_cast<float>(numbers[i]);
        });
    }
    if (!graph::is16Bit(source) || target != DType::F32) return lowerNarrowing();
    // The same numbers, where and how they lie.
    awaitIfReduced(from);
    m_places[m_at][0] = m_places[from.node.value][from.output];
}

// A copy, which roundResults() rounds.
void Lowering::lowerNarrowing() {
    const Elementwise all = elementwise(input(0), input(0));
    const int threads = m_team.threads();
    emit({all.left, all.target}, [=](Pointers p) {
        splitOver(threads, all.count, [&](std::size_t begin, std::size_t end) {
            std::memcpy(floats(p, all.target) + begin, floats(p, all.left) + begin, (end - begin) * sizeof(float));
        });
    });
}

}  // namespace lockstep::exec::cpu
