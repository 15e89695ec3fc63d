#include "host_facts_json.h"

#include <nlohmann/json.hpp>

namespace lockstep::cluster {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Device, kind, name, memoryBytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HostFacts, name, address, hostname, agentId, system, processorName, isa, processors, coreOf,
                                   physicalCores, memoryBytes, availableBytes, shmBytes, diskFreeBytes, devices)

}  // namespace lockstep::cluster

namespace lockstep::control {

std::string printHostFacts(const cluster::HostFacts& facts) {
    return nlohmann::json(facts).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Result<cluster::HostFacts> parseHostFacts(std::string_view json) {
    try {
        return nlohmann::json::parse(json).get<cluster::HostFacts>();
    } catch (const nlohmann::json::exception& wrong) {
        return makeError("N411", {{"reason", std::string("facts about a host: ") + wrong.what()}});
    }
}

}  // namespace lockstep::control
