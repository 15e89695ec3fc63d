// What this computer can do at best, measured: the ceilings that training is compared with.
#pragma once

#include <base/clock.h>

#include <span>

namespace lockstep::bench {

struct Limits {
    double flopsPerSecond = 0;  // float32 multiply-adds in registers, two operations each, with the widest vectors there are
    double quiet = 0;           // mean of the multiply-adds over that: 1 when nothing else used the processors
    double bytesPerSecond = 0;  // of arrays far beyond the caches: the better of reading and of a = b + s·c, written past the caches
};

// Measures both on as many threads as there are processors, one pinned to each; blocks about 2 · `each`. Uses three arrays of 32 MiB or
// more per thread. Of each thread its fastest moment counts, so that a busy machine shows its limits, too.
Limits probeLimits(std::span<const int> processors, Seconds each);

}  // namespace lockstep::bench
