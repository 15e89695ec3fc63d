#pragma once

#include "programs.h"

#include <train/profile.h>

namespace lockstep::train {

// What the program measured (CompileOptions::timeOps; empty without), with the costs of its graph's nodes.
StepProfile profileOf(const StepProgram& step);

}  // namespace lockstep::train
