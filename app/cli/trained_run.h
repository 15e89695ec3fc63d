// The weights of a run at work, in the child processes of `lockstep evaluate` and `lockstep predict`.
#pragma once

#include "child_work.h"

#include <exec/executor.h>
#include <plan/plan.h>
#include <spec/run_spec.h>
#include <train/inference.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace lockstep::cli {

// What both commands ask of a child.
struct TrainedRequest {
    std::filesystem::path run;          // its folder
    std::string checkpoint = "latest";  // "latest", "best", or a step
    std::vector<std::string> data;      // overrides of data.*, for other rows than the run's
    std::filesystem::path dataFolder;   // that paths among them are relative to
    int threads = 1;
    bool reference = false;  // exec/ref instead of exec/cpu, for tests
};
Json toJson(const TrainedRequest& request);

struct TrainedRun {
    TrainedRequest request;
    spec::RunSpec spec;      // with the layers of a model file
    plan::DataFacts facts;   // of the data it was trained on
    std::string checkpoint;  // its id
    train::Checkpoint weights;
    std::vector<Error> skipped;  // C701 of newer checkpoints that are damaged
    train::InferenceOptions options;
    std::unique_ptr<exec::Executor> executor;

    // With a guard of the memory. Errors: those of train::Inference::create().
    Result<train::Inference> inference(std::int64_t rows) const;
    // "run", "checkpoint" and "warnings" of a result.
    Json toJson() const;
};

// Reads specification, facts of the data and weights. Errors: those of the specification, its model file and its data; C701, C702, C706
// (no checkpoint yet), C707 (not the one asked for).
Result<TrainedRun> openTrainedRun(const Json& request);

// Of the child processes: see evaluate.cpp and predict.cpp.
Result<Json> evaluateTask(const Json& request, WorkChannel& channel);
Result<Json> predictTask(const Json& request, WorkChannel& channel);

}  // namespace lockstep::cli
