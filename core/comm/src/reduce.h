// Sums of element arrays, vectorised for the processor at hand. Memory needs no alignment. Integers wrap.
#pragma once

#include <comm/group.h>

#include <cstddef>
#include <span>

namespace lockstep::comm {

std::size_t elementSize(Element element);

// target += source, element by element; `bytes` is a multiple of the element size.
void addInto(Element element, std::byte* target, const std::byte* source, std::size_t bytes);

// target = ((sources[0] + sources[1]) + sources[2]) + ...: always in this order, so that every rank gets the same bits.
// `target` may be one of the sources.
void sumInOrder(Element element, std::byte* target, std::span<const std::byte* const> sources, std::size_t bytes);

// The same sums into every target. Targets may be sources, each at the same offset.
void sumToAll(Element element, std::span<std::byte* const> targets, std::span<const std::byte* const> sources, std::size_t bytes);

}  // namespace lockstep::comm
