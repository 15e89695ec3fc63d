// Training speeds as `lockstep bench train` and `bench hardware` measure and show them.
#pragma once

#include "bench_parts.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::cli {

// One configuration.
struct BenchCase {
    std::string model;  // a preset; of a curve: its model
    std::int64_t batch = 32;
    int threads = 1;
    std::string precision = "float32";
    std::filesystem::path curve;  // not empty: a recorded curve instead
};

struct BenchPlan {
    std::vector<BenchCase> cases;
    double seconds = 3;  // measured, of each
    int rounds = 1;      // all cases are measured so often in turn; a row is the median round
};

struct BenchFindings {
    Json limits = Json::array();  // [{"threads", "flops_per_second", "bytes_per_second"}]: the best probe of each number of threads
    Json rows = Json::array();    // see resources/docs/formats/bench.md
    std::optional<int> interrupted;
};

// The processors that `threads` threads are pinned to: the last usable ones. Error X002: there are not so many.
Result<std::vector<int>> processorsFor(int threads);

// The option --precision: several of Keras' dtype policies.
CLI::Option* declarePrecisions(CLI::App& parser, std::vector<std::string>& precisions);

// Each case in a child process of its own, a probe of the limits before it. Shows progress. After an interruption: what was measured
// until then. Errors: of the first case that has one.
Result<BenchFindings> measureCases(Output& output, const BenchPlan& plan);

// A heading and one line per row.
std::vector<std::vector<std::string>> tableOf(const Json& rows);

// "mlp b32 2 threads"
std::string titleOf(const Json& row);

}  // namespace lockstep::cli
