// What a rank and its agent say to each other, as values, with their bytes (JSON in frames). Parsing is bounded by the frame limit;
// a message that lacks a field or has a wrong type is N411.
#pragma once

#include <base/error.h>
#include <base/result.h>
#include <wire/framing.h>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace lockstep::wire {

// Agent → rank, first message: all it needs.
struct RankAssignment {
    std::string run;
    int rank = 0;
    std::uint64_t epoch = 1;       // membership epoch
    std::string spec;              // YAML, resolved
    std::string plan;              // plan.json
    std::string folder;            // runs/<id>
    std::string dataFolder;        // where the dataset's files are
    std::string executor = "cpu";  // cpu | ref
    std::string key;               // secret of the run's TCP connections; never logged
    int listenFd = -1;             // bound listening socket in the rank's table, -1: none
    int ringFd = -1;               // telemetry ring
    bool resume = false;
    double leaseSeconds = 30;
    double joinSeconds = 60;  // deadline of the rendezvous
    bool operator==(const RankAssignment&) const = default;
};

enum class RankOrder : std::uint8_t { Stop, Checkpoint, Abort };

// Agent → rank.
struct RankCommand {
    RankOrder order{};
    std::optional<Error> why;  // with Abort
    bool operator==(const RankCommand&) const = default;
};
struct LeaseBeat {
    bool operator==(const LeaseBeat&) const = default;
};

// Rank → agent.
struct RankHello {
    std::int64_t pid = 0;
    bool operator==(const RankHello&) const = default;
};
struct RankPhase {
    std::string name;
    std::uint64_t step = 0;  // finished when it began
    bool operator==(const RankPhase&) const = default;
};
struct RankProgress {
    std::uint64_t step = 0;
    std::uint64_t steps = 0;  // of the whole run, 0 = not known yet
    std::vector<int> late;    // ranks the collective in progress waits for
    bool operator==(const RankProgress&) const = default;
};
struct RankCheckpoint {
    std::uint64_t step = 0;
    std::string id;
    bool operator==(const RankCheckpoint&) const = default;
};
struct RankWarning {
    Error error;
    bool operator==(const RankWarning&) const = default;
};
struct RankDone {
    bool stopped = false;
    std::uint64_t steps = 0;
    int epochs = 0;
    double loss = 0;
    double accuracy = 0;
    std::optional<double> valLoss;
    std::optional<double> valAccuracy;
    std::string weightsHash;
    std::string endedBy = {};  // the rule that ended the training early; empty = none
    bool operator==(const RankDone&) const = default;
};
struct RankFailed {
    Error error;
    bool operator==(const RankFailed&) const = default;
};

using ToRank = std::variant<RankAssignment, RankCommand, LeaseBeat>;
using FromRank = std::variant<RankHello, RankPhase, RankProgress, RankCheckpoint, RankWarning, RankDone, RankFailed>;

Frame toFrame(const ToRank& message);
Frame toFrame(const FromRank& message);
Result<ToRank> parseToRank(const Frame& frame);
Result<FromRank> parseFromRank(const Frame& frame);

}  // namespace lockstep::wire
