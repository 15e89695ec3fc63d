// Facts about a host as JSON text: on the wire between agent and controller, and for `lockstep agent --print`.
#pragma once

#include <base/result.h>
#include <cluster/inventory.h>

#include <string>
#include <string_view>

namespace lockstep::control {

std::string printHostFacts(const cluster::HostFacts& facts);
// Error N411.
Result<cluster::HostFacts> parseHostFacts(std::string_view json);

}  // namespace lockstep::control
