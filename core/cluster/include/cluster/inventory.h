// Hosts and devices as values: what a probe found. The plan uses only this.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::cluster {

struct Device {
    std::string kind;  // "cpu"
    std::string name;  // "Intel(R) Xeon(R) Processor, 2 cores"
    std::uint64_t memoryBytes = 0;
    bool operator==(const Device&) const = default;
};

struct HostFacts {
    std::string name;      // as the specification calls it
    std::string address;   // "localhost"
    std::string hostname;  // for people; never an identity
    std::string agentId;   // identity
    std::string system;    // "Debian GNU/Linux 12", kernel
    std::string processorName;
    std::string isa;              // "avx512_core_amx", oneDNN's word for the best instruction set; "sse41", "avx2", …
    std::vector<int> processors;  // usable logical processors (affinity, cgroup quota), ascending
    std::vector<int> coreOf;      // physical core of each of them, same order; empty: unknown
    int physicalCores = 0;        // distinct ones among them
    std::uint64_t memoryBytes = 0;
    std::uint64_t availableBytes = 0;
    std::uint64_t shmBytes = 0;
    std::uint64_t diskFreeBytes = 0;
    std::vector<Device> devices;
    bool operator==(const HostFacts&) const = default;
};

struct Inventory {
    std::vector<HostFacts> hosts;
    bool operator==(const Inventory&) const = default;
};

// Bytes this process may still take: what the system has, room in its cgroups, its own limits (RLIMIT_AS, RLIMIT_DATA).
std::uint64_t availableMemory();

// How many processes the kernel has ended for want of memory, since this computer started, in any cgroup. 0 where it doesn't count them.
std::uint64_t outOfMemoryKills();

// Facts about this computer; agentId empty. Never fails: what can't be read stays at its default.
HostFacts probeThisHost();

}  // namespace lockstep::cluster
