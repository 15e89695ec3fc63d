// Checks of a node's attributes against the specification in its op row.
#pragma once

#include <graph/op.h>

namespace lockstep::graph {

// Error S408: unknown, missing, of another kind, or out of range.
Result<void> checkAttributes(const OpRow& row, const Attributes& attributes);

}  // namespace lockstep::graph
