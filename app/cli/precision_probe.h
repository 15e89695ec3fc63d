// How fast this processor multiplies bfloat16: measured once in a child process and kept in the cache folder, as long as processor,
// instruction set and oneDNN stay the same.
#pragma once

#include "child_work.h"

#include <workbench/workbench.h>

namespace lockstep::cli {

// Errors: those of runInChild(). A cache that can't be read or written costs a measurement, no more.
Result<workbench::Bfloat16Speed> bfloat16Speed(Output& output);

// The child's work, `lockstep worker --task=probe-bfloat16`.
Result<Json> probeBfloat16Task(const Json& request, WorkChannel& channel);

}  // namespace lockstep::cli
