// A bounded lock-free ring of Samples in shared memory: one writer (the rank's training thread), one reader (its agent). Writing costs
// a few nanoseconds and no system call; when the ring is full the sample is dropped and counted, never waited for. The ring survives
// the death of either side: what was pushed whole can be read, and both counters live in the shared memory, so that whoever attaches
// next goes on where the last one stopped.
//
// Layout (version 1, little endian): one page of header {u64 magic, u32 version, u32 bytes per record, u64 capacity, at 64: u64 pushed,
// u64 dropped, at 128: u64 taken}, then `capacity` records of 32 bytes. The memory file is sealed against resizing.
#pragma once

#include <base/file.h>
#include <base/result.h>
#include <telemetry/sample.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace lockstep::telemetry {

class Ring {
public:
    // A new ring in an anonymous memory file (memfd); the fd is handed to the rank. capacity: samples, a power of two up to 2^22.
    // Error M901. The fd is close-on-exec: a spawn hands it over by dup2.
    static Result<Ring> create(std::size_t capacity = 1u << 15);
    // The ring behind an fd made by create(); F608 when it is not one (size, seals, magic, version, counters).
    static Result<Ring> attach(Fd fd);
    Ring(Ring&&) noexcept;
    Ring& operator=(Ring&&) noexcept;
    ~Ring();

    int fd() const;
    // Writer side. False = full, the sample is lost and counted.
    bool push(const Sample& sample) noexcept;
    // Reader side: takes what is there, at most `most`. Nothing when verify() fails.
    std::vector<Sample> drain(std::size_t most = 1u << 15);
    // The two halves of drain, for a reader that must not lose samples when it is killed in between: look, keep them somewhere, release.
    // A reader whose own file holds more samples than taken() says died before release() and releases the difference first.
    std::vector<Sample> peek(std::size_t most = 1u << 15) const;
    void release(std::size_t count);  // at most what is there

    std::uint64_t pushed() const;   // samples ever pushed
    std::uint64_t taken() const;    // samples ever released
    std::uint64_t dropped() const;  // samples lost because the ring was full
    // F608 when the header has been overwritten since (a stray write of the rank). Cheap.
    Result<void> verify() const;

private:
    struct Impl;
    explicit Ring(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

}  // namespace lockstep::telemetry
