// The process roles behind `lockstep worker`; not for people but for `--task` by the agent and TF_CONFIG by hand.
#pragma once

#include <base/result.h>

#include <filesystem>
#include <string>
#include <vector>

namespace lockstep::cli {

class Output;

// One rank of a run, started by an agent; `fd` is its end of the socket to the agent. Exit code 0 = done or stopped.
int runRankTask(int fd);

struct HandOptions {
    std::filesystem::path file;  // the specification
    std::vector<std::string> overrides;
    std::filesystem::path project;  // task 0 keeps the run there
    bool reference = false;         // exec/ref instead of exec/cpu, for tests
};

// One task of a cluster started by hand, TensorFlow's way: TF_CONFIG says who takes part; no agent, no controller.
Result<int> runTaskByHand(const HandOptions& options, Output& output);

}  // namespace lockstep::cli
