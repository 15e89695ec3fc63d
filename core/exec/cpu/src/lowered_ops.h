// Which ops, and which of their attributes, Lowering has steps for.
#pragma once

#include <graph/graph.h>

#include <string>

namespace lockstep::exec::cpu {

// Empty when the node can be lowered; else one clause for the plan page.
std::string notLowered(const graph::Node& node);

}  // namespace lockstep::exec::cpu
