// The parts of `lockstep bench`, one file each, and the work they give to child processes (worker.h).
#pragma once

#include "child_work.h"
#include "command.h"

#include <string>
#include <vector>

namespace lockstep::cli {

// A subcommand below `bench`.
class BenchPart {
public:
    virtual ~BenchPart() = default;
    virtual CLI::App* declare(CLI::App& bench) = 0;
    virtual Result<int> run(Context& context) = 0;
};

std::unique_ptr<BenchPart> makeBenchTrain();
std::unique_ptr<BenchPart> makeBenchHardware();
std::unique_ptr<BenchPart> makeBenchParity();

// Of the child processes: from a request to a result, see the file of the part.
Result<Json> benchTrainTask(const Json& request, WorkChannel& channel);
Result<Json> benchProbeTask(const Json& request, WorkChannel& channel);
Result<Json> benchParityTask(const Json& request, WorkChannel& channel);

}  // namespace lockstep::cli
