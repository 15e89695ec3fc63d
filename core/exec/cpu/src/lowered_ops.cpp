#include "lowered_ops.h"

namespace lockstep::exec::cpu {

// All of them today; a new op says here why not until it has its steps.
std::string notLowered(const graph::Node&) { return {}; }

}  // namespace lockstep::exec::cpu
