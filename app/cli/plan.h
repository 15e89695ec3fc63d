// What `lockstep plan` and `lockstep run --dry-run` print.
#pragma once

#include "command.h"

#include <api/run_commands.h>

namespace lockstep::cli {

Result<int> printPlan(Context& context, const api::SpecSource& source);

}  // namespace lockstep::cli
