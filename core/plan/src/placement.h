// Which task runs on which host, and which processors each cpu device is.
#pragma once

#include <plan/plan.h>

namespace lockstep::plan {

struct Placement {
    std::vector<Task> tasks;
    std::vector<Rank> ranks;                       // without slices and bytes
    std::vector<const cluster::HostFacts*> facts;  // per rank; nullptr: a computer that is not in the inventory
};

Result<Placement> place(const spec::RunSpec& spec, const cluster::Inventory& inventory);

// Processors of device `place` of `count` on a host: as many as the others get, whole physical cores together.
std::vector<int> shareOf(const cluster::HostFacts& facts, std::size_t place, std::size_t count);

}  // namespace lockstep::plan
