// What a rank will hold, and what happens when there is not enough of it.
#pragma once

#include <base/error.h>
#include <plan/plan.h>
#include <spec/run_spec.h>
#include <train/rank.h>

namespace lockstep::cli {

// Plans by the planning of the executor that ranks use.
plan::Sizer makeSizer(bool reference);

// Looks, once the executor knows what it needs and before it takes it, whether this process can have it: the error of options.compile is
// then M903 with the next remedy. `spec` and `plan` outlive the training.
void guardMemory(train::RankOptions& options, const spec::RunSpec& spec, const plan::Plan& plan);

// M904: the memory could not be had although it was planned.
Error outOfMemory(const plan::Plan& plan, int rank, const std::string& when);

}  // namespace lockstep::cli
