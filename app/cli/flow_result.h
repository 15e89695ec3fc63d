// The end of a run in words or as the object of architecture 8.
#pragma once

#include "output.h"

#include <control/run_flow.h>

namespace lockstep::cli {

void printResult(Output& output, const control::FlowResult& result);

}  // namespace lockstep::cli
