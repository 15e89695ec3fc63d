// `lockstep run --profile`. The folder runs/<id>/profile tells the ranks to time their ops; each leaves rank-N.json there.
#pragma once

#include "output.h"

#include <base/result.h>
#include <bench/limits.h>
#include <train/rank.h>

#include <cstdint>
#include <filesystem>
#include <vector>

namespace lockstep::cli {

std::filesystem::path profileFolder(const std::filesystem::path& run);

// A rank's side: takes what the training measures and writes it at the end.
class RankProfiler {
public:
    RankProfiler(std::filesystem::path folder, int rank, std::vector<int> processors)
        : m_folder(std::move(folder)), m_rank(rank), m_processors(std::move(processors)) {}

    // Before the training: probes the limits of the rank's processors, about half a second.
    void probe();
    // Sees the samples besides the hook that is there. The hooks must not outlive this.
    void attach(train::RankHooks& hooks);
    // Errors: F604, F605.
    Result<void> write() const;

private:
    std::filesystem::path m_folder;
    int m_rank;
    std::vector<int> m_processors;
    std::uint64_t m_steps = 0;
    double m_stepSeconds = 0, m_waitSeconds = 0;
    train::StepProfile m_profile;
    bench::Limits m_limits;
};

// What the ranks of a run left, by rank: the "lockstep" objects of their files, each with its "file". Files that can't be read are left
// out.
Json readProfiles(const std::filesystem::path& run);
// Where the step of the first of them goes, as a table.
void printProfile(Output& output, const Json& profiles);

}  // namespace lockstep::cli
