// The plan: where each rank runs, what it owns and what it will need; made before anything starts, kept as runs/<id>/plan.json
// (format page: resources/docs/formats/plan.md). Values.
#pragma once

#include <base/result.h>
#include <cluster/inventory.h>
#include <spec/run_spec.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::plan {

struct Task {
    std::string type = "worker";
    int index = 0;
    std::string address;   // "localhost:12345"; empty under MirroredStrategy
    std::string tfConfig;  // JSON text this task gets; empty under MirroredStrategy
    bool operator==(const Task&) const = default;
};

struct RankBytes {
    std::uint64_t weights = 0, gradients = 0, optimizerSlots = 0, activations = 0, input = 0, library = 0;
    std::uint64_t total() const { return weights + gradients + optimizerSlots + activations + input + library; }
    bool operator==(const RankBytes&) const = default;
};

struct Rank {
    int rank = 0;
    int task = 0;            // index in tasks
    std::string host;        // name in the specification
    std::string device;      // "cpu:0"
    std::vector<int> cores;  // processors the rank is pinned to
    int firstSlice = 0;
    int sliceCount = 1;
    RankBytes bytes;
    bool operator==(const Rank&) const = default;
};

struct AllReduceChoice {
    std::uint64_t bytes = 0;  // one bucket
    std::string algorithm;    // "shm", "ring"
    std::string why;
    bool operator==(const AllReduceChoice&) const = default;
};

struct Forecast {
    double stepSeconds = 0;  // estimated from the work of a step and typical rates of the instruction set, not measured
    double samplesPerSecond = 0;
    bool operator==(const Forecast&) const = default;
};

struct Plan {
    std::string run;
    std::string specHash;
    spec::Strategy strategy{};
    std::string reduction = "rows";
    bool deterministic = false;
    std::string isa;
    int sliceTotal = 1;
    std::int64_t sliceRows = 0;  // rows of a full slice: ⌈global batch / slices⌉
    std::vector<Task> tasks;
    std::vector<Rank> ranks;
    std::string transport;  // "none" (one rank), "shm", "tcp"
    std::vector<AllReduceChoice> allReduce;
    Forecast forecast;
    bool operator==(const Plan&) const = default;
};

// What the data looks like; the defaults are MNIST's. For dataset idx the caller reads them from the files' headers.
struct DataFacts {
    std::vector<std::int64_t> rowShape = {28, 28, 1};
    int classes = 10;
};

// Decides everything; starts nothing, reads nothing. Host entries find their facts in the inventory by name, then by address (every
// loopback address is one host). With cluster.tf_config a host that is not in the inventory is another computer's: its ranks get no
// processors here, they choose their own there.
// Errors: D203 (no such device), D204 (more cpu devices than cores), D205 (kind), S304 (form of a device, port), S307 (contradiction),
// S310 (batch smaller than the slices), S4xx (model), X009 (a host that would need ssh).
Result<Plan> makePlan(const spec::RunSpec& spec, const cluster::Inventory& inventory, const std::string& run, const DataFacts& data = {});

// plan.json and back; parse(print(p)) == p. Error F601 with position.
std::string printPlan(const Plan& plan);
Result<Plan> parsePlan(std::string_view json);

// The plan in words and a table for a terminal.
std::string explainPlan(const Plan& plan);

}  // namespace lockstep::plan
