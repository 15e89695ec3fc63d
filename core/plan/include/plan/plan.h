// The plan: where each rank runs, what it owns and what it will need; made before anything starts, kept as runs/<id>/plan.json
// (format page: resources/docs/formats/plan.md). Values.
#pragma once

#include <base/result.h>
#include <cluster/inventory.h>
#include <spec/run_spec.h>

#include <cstdint>
#include <functional>
#include <optional>
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

// What the process of a rank holds when it is fullest, above what it holds idle.
struct RankBytes {
    std::uint64_t weights = 0, gradients = 0, optimizerSlots = 0, activations = 0;
    std::uint64_t workspace = 0;   // of kernels
    std::uint64_t input = 0;       // prepared batches, order of an epoch, buffers of the evaluation
    std::uint64_t data = 0;        // rows of the data set; mapped ones are shared by the ranks of a host
    std::uint64_t checkpoint = 0;  // copies of the state
    std::uint64_t library = 0;     // code and kernels, measured once
    std::uint64_t total() const {
        return weights + gradients + optimizerSlots + activations + workspace + input + data + checkpoint + library;
    }
    bool operator==(const RankBytes&) const = default;
};

// Where the recompute pass cuts (passes/recompute.h).
struct RecomputeCut {
    std::string after;
    int level = 1;
    bool operator==(const RecomputeCut&) const = default;
};

// What makes a step fit.
struct Memory {
    std::vector<RecomputeCut> recompute;  // none: every activation is kept
    bool slicesApart = false;             // slices of a rank run one after the other
    int preparedBatches = 8;
    std::optional<std::uint64_t> limit;  // training.memory_limit
    std::string why;                     // what was chosen and what for; empty: as the specification says
    bool operator==(const Memory&) const = default;
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

// What the data looks like; the defaults are MNIST's. For dataset idx the caller reads them from the files' headers.
struct DataFacts {
    std::vector<std::int64_t> rowShape = {28, 28, 1};
    int classes = 10;  // 0: the rows have numbers as targets
    std::int64_t rows = 60'000;
    std::int64_t validationRows = 10'000;
    bool bytes = true;             // features are kept as bytes, else as float32
    std::int64_t targetWidth = 0;  // how many of them
    bool operator==(const DataFacts&) const = default;
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
    Memory memory;
    Forecast forecast;
    std::optional<DataFacts> data;  // what it was made for; none: a plan of an earlier version
    bool operator==(const Plan&) const = default;
};

// Says what a rank of a plan will hold, by the planning of the executor itself. Given by who links one; without it a plan says what the
// graph needs (exec/arena.h).
using Sizer = std::function<Result<RankBytes>(const spec::RunSpec& spec, const Plan& plan, int rank, const DataFacts& data)>;

// Decides everything; starts nothing, reads nothing. Host entries find their facts in the inventory by name, then by address (every
// loopback address is one host). With cluster.tf_config a host that is not in the inventory is another computer's: its ranks get no
// processors here, they choose their own there.
// Errors: D203 (no such device), D204 (more cpu devices than cores), D205 (kind), S304 (form of a device, port), S307 (contradiction),
// S310 (batch smaller than the slices), S420 (training.recompute), S4xx (model), M902 (nothing fits training.memory_limit), X009 (a host
// that would need ssh).
//
// With training.memory_limit the cheapest remedy that fits is taken among those that leave the update as it is. recompute: auto without a
// limit takes the smallest step that computes no activation more than once again.
Result<Plan> makePlan(const spec::RunSpec& spec, const cluster::Inventory& inventory, const std::string& run, const DataFacts& data = {},
                      const Sizer& sizer = {});

// plan.json and back; parse(print(p)) == p. Error F601 with position.
std::string printPlan(const Plan& plan);
Result<Plan> parsePlan(std::string_view json);

// The plan in words and a table for a terminal.
std::string explainPlan(const Plan& plan);

}  // namespace lockstep::plan
