// From a specification and a plan to what one rank needs: training options, its group, its executor.
#pragma once

#include <base/clock.h>
#include <base/result.h>
#include <comm/group.h>
#include <exec/executor.h>
#include <plan/plan.h>
#include <spec/run_spec.h>
#include <train/rank.h>
#include <wire/rank_messages.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace lockstep::cli {

struct RankSetup {
    train::RankOptions options;
    std::uint64_t steps = 0;  // of the whole run
};

// Reads the data set's headers for the shape of its rows. Errors: F6xx.
Result<RankSetup> makeRankSetup(const spec::RunSpec& spec, const plan::Plan& plan, int rank, const std::filesystem::path& dataFolder);

// The options of a rank on rows like `data`'s, without the weights of a model file; nothing is read.
train::RankOptions rankOptionsOf(const spec::RunSpec& spec, const plan::Plan& plan, int rank, const std::filesystem::path& dataFolder,
                                 const plan::DataFacts& data);

// Folder of the best epoch's checkpoint, in that of its run.
inline constexpr const char* kBestFolder = "best";

// Where the rank's files lie, in the folder of its run.
void placeFiles(train::RankOptions& options, const std::filesystem::path& runFolder, const std::filesystem::path& checkpoints);

struct JoinOptions {
    int rank = 0;
    std::string run;  // what the members of the group agree on
    std::uint64_t epoch = 1;
    std::string key;  // of TCP connections
    int listenFd = -1;
    std::string sharedMemory;  // name
    Deadline deadline = Deadline::in(Seconds(60));
};
// The transport is the plan's.
Result<std::unique_ptr<comm::Group>> joinGroup(const plan::Plan& plan, const JoinOptions& options);

std::unique_ptr<exec::Executor> makeExecutor(bool reference);

wire::RankDone toDone(const train::RankResult& result);

}  // namespace lockstep::cli
