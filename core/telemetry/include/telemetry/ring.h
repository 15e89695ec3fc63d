// A bounded lock-free ring of Samples in shared memory: one writer (the rank's training thread), one reader (its agent). Writing costs
// a few nanoseconds and no system call; when the ring is full the sample is dropped and counted, never waited for. The ring survives
// the death of its writer: the agent drains what is left.
#pragma once

#include <base/file.h>
#include <base/result.h>
#include <telemetry/sample.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace lockstep::telemetry {

class Ring {
public:
    // A new ring in an anonymous memory file (memfd); the fd is handed to the rank. capacity: samples, a power of two.
    static Result<Ring> create(std::size_t capacity = 1u << 15);
    // The ring behind an fd made by create(); F608 when it is not one.
    static Result<Ring> attach(Fd fd);
    Ring(Ring&&) noexcept;
    Ring& operator=(Ring&&) noexcept;
    ~Ring();

    int fd() const;
    // Writer side. False = full, the sample is lost and counted.
    bool push(const Sample& sample) noexcept;
    // Reader side: takes what is there, at most `most`.
    std::vector<Sample> drain(std::size_t most = 1u << 15);
    std::uint64_t dropped() const;

private:
    struct Impl;
    explicit Ring(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

}  // namespace lockstep::telemetry
