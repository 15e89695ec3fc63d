// A run of eight workers on two hosts as a controller would have stored it: noisy curves, checkpoints, one resume, and worker 6 late at
// the end. Written with the real store; the numbers come from a fixed seed.
#pragma once

#include <filesystem>
#include <string>

namespace lockstep::test {

struct ClusterRun {
    int ranks = 8;
    std::uint64_t steps = 12'400;
    std::uint64_t lateFrom = 11'300;
    int lateRank = 6;
    double started = 1'767'250'000;
};

// False when the store refused something.
bool writeClusterRun(const std::filesystem::path& project, const std::string& id, const ClusterRun& shape = {});

}  // namespace lockstep::test
