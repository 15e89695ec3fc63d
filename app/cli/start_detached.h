// The end of `run --detach` and `resume --detach`: waits until the run trains and says which it is.
#pragma once

#include "command.h"

#include <api/run_commands.h>

namespace lockstep::cli {

Result<int> reportStart(Context& context, api::StartJob& job);

}  // namespace lockstep::cli
