// Pixels as numbers between 0 and 1, with the widest vectors of this processor.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockstep::data {

// into[i] = from[i] / 255, divided in float32: the same bits on every processor.
void pixelsToFloats(const std::uint8_t* from, std::size_t count, float* into);

}  // namespace lockstep::data
