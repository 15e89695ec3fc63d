// The whole life of one run, in this process: the controller. spec → plan → launch → train/telemetry → store → result.
//
// Threads of a controller: the caller's (planning, decisions, the only writer of run.db), "watch" (reads an agent's stream) and those
// of gRPC that serve the run's socket. The run outlives none of its clients, and the ranks outlive the controller: see resume.
#pragma once

#include <base/clock.h>
#include <base/ids.h>
#include <base/result.h>
#include <plan/plan.h>
#include <store/run_state.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

namespace lockstep::control {

inline constexpr int kRuleExit = 7;  // a rule of the specification ended the run

// Where a run is; sent at most ten times a second while it trains.
struct FlowProgress {
    RunId run;
    store::RunState state{};
    std::uint64_t step = 0;   // finished steps
    std::uint64_t steps = 0;  // steps of the whole run, 0 = not known yet
    int epoch = 0;            // 1-based, 0 = none yet
    int epochs = 0;
    std::optional<double> loss;  // of the newest step
    std::optional<double> accuracy;
    std::optional<double> samplesPerSecond;
    double seconds = 0;  // since runFlow() was called
};

// Called on runFlow()'s thread; must be quick.
class FlowListener {
public:
    virtual ~FlowListener() = default;
    virtual void onStarted(const RunId& run, const std::filesystem::path& folder) = 0;  // the folder is there, nothing runs yet
    virtual void onState(store::RunState state, const std::string& cause) = 0;
    virtual void onPhase(const std::string& phase, Seconds took) = 0;  // a finished launch phase
    virtual void onProgress(const FlowProgress& progress) = 0;
    virtual void onEvent(const store::Event& event) = 0;  // checkpoints, warnings, exits
    virtual void onWarning(const Error& warning) = 0;
};

struct NewRun {
    std::filesystem::path file;          // of the specification; for positions and relative paths when `text` is given
    std::optional<std::string> text;     // the specification itself instead of the file's content
    std::vector<std::string> overrides;  // "training.steps=60"
};

struct ResumeRun {
    std::string run;  // id, or an unambiguous part of one
};

// Which rank executor: Reference is the slow oracle, for tests.
enum class RankExecutor : std::uint8_t { Cpu, Reference };

struct FlowOptions {
    std::filesystem::path project;  // runs are kept in project/runs
    std::variant<NewRun, ResumeRun> what;
    std::optional<RunId> run;  // id of a new run; a client that starts a detached controller chooses it
    FlowListener* listener = nullptr;
    std::stop_token stop;  // requested: checkpoint and stop
    std::stop_token kill;  // requested: end all ranks at once
    RankExecutor executor = RankExecutor::Cpu;
    plan::Sizer sizer;  // what ranks will hold (plan/plan.h); none: the plan says what the graph needs
    Seconds lease{30};  // how long ranks go on without their agent
};

struct StepSeconds {
    double p50 = 0;
    double p95 = 0;
};

struct FlowResult {
    RunId run;
    std::filesystem::path folder;
    store::RunState state{};     // Completed, Stopped, Failed or Lost
    std::optional<Error> error;  // why, when Failed or Lost
    int exitCode = 0;            // architecture 8; 130 when stopped by `stop` or `kill`, 0 when by `lockstep stop`
    std::string strategy;
    int ranks = 0;
    std::uint64_t steps = 0;
    int epochs = 0;
    std::optional<double> loss, accuracy, valLoss, valAccuracy;
    std::optional<double> samplesPerSecond;  // of all ranks: rows by the time their steps took
    StepSeconds stepSeconds;
    double seconds = 0;  // from start to end, all controllers of the run together
    std::string weightsHash;
};

// The object `run --json` ends with (architecture 8), on one line, plus "weights_hash" and, when there is one, "error".
std::string toJson(const FlowResult& result);

// Blocks until the run has ended. A Result error means that no run came to be (bad specification, no device, …) and nothing is left;
// whatever happens later is in FlowResult::error and in the run's folder.
// Resume adopts ranks that still train, finishes a run whose ranks have ended, else starts new ranks from the newest checkpoint.
// Errors: S3xx, D2xx, N403, H1xx, F6xx; resume: R531 (no such run), R533 (already final), F610 (another controller has it).
Result<FlowResult> runFlow(const FlowOptions& options);

// Result of a run that has ended, as stored. Error R534 when it has none.
Result<std::string> storedResult(const std::filesystem::path& runFolder);

}  // namespace lockstep::control
