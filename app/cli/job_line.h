// Draws an api::Job on the progress line.
#pragma once

#include "output.h"

#include <api/job.h>

namespace lockstep::cli {

// Waits for the end of the job, at most this long; true when it has ended.
bool watchJob(Output& output, api::Job& job, Seconds atMost);

}  // namespace lockstep::cli
