// The remedies against too little memory, one rung each, from the cheapest to the dearest: what it needs, how much slower a step gets, and
// whether the update stays the same. Values.
#pragma once

#include <base/result.h>
#include <cluster/bfloat16.h>
#include <plan/plan.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::plan {

struct Rung {
    // "as specified", "fewer prepared batches", "recompute", "16 bits", "slices", "recompute and slices", "smaller batch"
    std::string remedy;
    std::string what;              // in words: "12 activations in 4 stretches are computed again"
    std::vector<std::string> set;  // overrides of the specification that ask for it: "distribution.slices=4"
    RankBytes bytes;               // of the largest rank
    double slowdown = 1;           // predicted time of a row against that as specified
    bool sameUpdate = true;        // else: how it differs
    std::string difference;
    bool fits = false;
    bool advised = true;  // false: 16 bits on a processor that is slower with them
    Plan plan;
};

struct Ladder {
    std::uint64_t limit = 0;
    std::vector<Rung> rungs;
    std::optional<std::size_t> chosen;  // the cheapest that fits and leaves the update as it is
};

// With `bfloat16`, the measured speed of such products, there is a rung of 16 bits for a model in float32. Errors: those of makePlan().
Result<Ladder> memoryLadder(const spec::RunSpec& spec, const cluster::Inventory& inventory, std::uint64_t limit, const DataFacts& data,
                            const Sizer& sizer, const std::optional<cluster::Bfloat16Speed>& bfloat16 = {});

// {"schema":1,"limit":n,"rungs":[{"remedy","what","set":[…],"bytes":{…,"total"},"slowdown","same_update","difference","fits","advised"}],
// "chosen":n|null}
std::string printLadder(const Ladder& ladder);
// A table for a terminal.
std::string explainLadder(const Ladder& ladder);

// The parts of a rank's memory, one clause: "weights 1.0 MiB, gradients …, 42 MiB in all".
std::string bytesInWords(const RankBytes& bytes);

// M904: memory that was planned could not be had; `when` is a clause: "in the phase training".
Error ranOutOfMemory(const Plan& plan, int rank, const std::string& when);

// M902 with the table of the ladder as its cause and the next rung as its next step.
Error doesNotFit(const Ladder& ladder);

}  // namespace lockstep::plan
