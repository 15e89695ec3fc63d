// The plan of a specification with one choice of remedies against too little memory; the ladder tries several.
#pragma once

#include "estimate.h"

#include <plan/ladder.h>
#include <plan/plan.h>

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::plan {

// What is planned; all outlive the planning.
struct Question {
    const spec::RunSpec& spec;
    const cluster::Inventory& inventory;
    const std::string& run;
    const DataFacts& data;
    const Sizer& sizer;
    std::optional<cluster::Bfloat16Speed> bfloat16 = {};  // where it was measured
};

// Errors: those of makePlan() but M902.
Result<Plan> planWith(const Question& question, const Memory& memory);

// What the specification asks for by itself.
Memory memoryAsked(const spec::RunSpec& spec);
inline bool isAutomatic(const spec::RunSpec& spec) { return spec.training.recompute == std::vector<std::string>{"auto"}; }

StepShape shapeOf(const Plan& plan);
std::vector<RecomputeCut> cutsOf(const passes::RecomputeChoice& choice);

// Of the rank that needs most.
RankBytes bytesOf(const Plan& plan);

enum class Climb : std::uint8_t { All, ToTheFirstThatFits };  // among those that leave the update as it is
// "1 row", "5 rows"
std::string plural(std::int64_t count, const std::string& word);

Result<Ladder> climb(const Question& question, std::uint64_t limit, Climb how);

}  // namespace lockstep::plan
