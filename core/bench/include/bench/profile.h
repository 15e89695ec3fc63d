// The profile of one rank as a file: a Chrome trace (chrome://tracing, Perfetto) of its mean step, with what was measured of each op and
// how far it is from this computer's limits (the roofline). Format: resources/docs/formats/profile.md.
#pragma once

#include <bench/limits.h>
#include <train/profile.h>

#include <cstdint>
#include <string>

namespace lockstep::bench {

struct ProfiledRank {
    int rank = 0;
    int threads = 1;
    std::uint64_t steps = 0;
    double stepSeconds = 0;       // mean, whole
    double inputWaitSeconds = 0;  // mean, before the ops
    train::StepProfile profile;
    Limits limits;  // of the rank's processors
};

std::string printProfile(const ProfiledRank& rank);

}  // namespace lockstep::bench
