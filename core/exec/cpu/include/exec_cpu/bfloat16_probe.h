// How fast this processor multiplies bfloat16, measured.
#pragma once

#include <base/clock.h>

namespace lockstep::exec::cpu {

struct Bfloat16Products {
    bool kernels = false;          // the instruction set oneDNN uses here has bfloat16 products; else they are float32's, rounded
    double float32PerSecond = 0;   // multiply-adds, two operations each, of one product of matrices that fits the caches
    double bfloat16PerSecond = 0;  // the same product of bfloat16 operands; 0 without kernels
    double ratio() const { return float32PerSecond > 0 ? bfloat16PerSecond / float32PerSecond : 0; }
};

// On the calling thread alone. The two alternate, so that other load hits both alike, and the best turn of each counts. Blocks about
// `time`.
Bfloat16Products probeBfloat16(Seconds time);

}  // namespace lockstep::exec::cpu
