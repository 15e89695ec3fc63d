// The oracle: every op as plain loops, one buffer per value, one thread. All sums are taken in double, for float32 tensors too, so
// that the reference is never the less exact side of a comparison. Supports every op for f32 and f64.
#pragma once

#include <exec/executor.h>

#include <memory>

namespace lockstep::exec::ref {

std::unique_ptr<Executor> makeRefExecutor();

}  // namespace lockstep::exec::ref
