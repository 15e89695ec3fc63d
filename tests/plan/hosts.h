// Computers that don't exist, with fixed facts.
#pragma once

#include <cluster/inventory.h>

#include <numeric>

namespace lockstep::test {

inline cluster::HostFacts fakeHost(int processors = 4) {
    cluster::HostFacts facts;
    facts.name = "here";
    facts.address = "localhost";
    facts.hostname = "box";
    facts.isa = "avx2";
    facts.processors.resize(static_cast<std::size_t>(processors));
    std::iota(facts.processors.begin(), facts.processors.end(), 0);
    facts.physicalCores = processors;
    facts.memoryBytes = 8ull << 30;
    facts.availableBytes = 8ull << 30;
    facts.shmBytes = 1ull << 30;
    return facts;
}

inline cluster::Inventory fakeInventory(int processors = 4) { return {{fakeHost(processors)}}; }

}  // namespace lockstep::test
