// What a process uses of this computer, as the system counts it (Linux /proc).
#pragma once

#include <base/result.h>

#include <sys/types.h>
#include <cstdint>

namespace lockstep::telemetry {

struct ProcessUsage {
    std::uint64_t residentBytes = 0;  // series memory_bytes of a cpu device
    double cpuSeconds = 0;            // user and system time of all threads since the start
};

// `pid` 0 = this process. Error F603 when there is no such process (or it is over).
Result<ProcessUsage> readProcessUsage(pid_t pid = 0);

// Share of `cores` that was busy between two readings `seconds` apart, 0…1: series device_busy_ratio of a cpu device.
double busyRatio(const ProcessUsage& before, const ProcessUsage& after, double seconds, int cores);

}  // namespace lockstep::telemetry
