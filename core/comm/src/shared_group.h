// Collectives over a segment: the group of threads and of processes on one host.
#pragma once

#include "shared_channel.h"

namespace lockstep::comm {

class SharedGroup final : public Group {
public:
    SharedGroup(std::unique_ptr<SharedSegment> segment, int rank, std::string transport, std::chrono::nanoseconds longestSpin);

    Result<void> allReduce(const AllReduce& options) override;
    Result<void> broadcast(const Broadcast& options) override;
    Result<void> barrier(Deadline deadline) override;
    Result<std::span<std::byte>> reserve(std::size_t bytes, Deadline deadline) override;
    void abort(Error why) override { m_channel.abort(std::move(why)); }
    GroupInfo info() const override;

private:
    // Everyone reads everyone's bytes: one wait.
    Result<void> sumByReadingAll(Element element, std::span<std::byte> piece);
    // Each rank sums one part and reads the others' sums: two waits, less to read.
    Result<void> sumByParts(Element element, std::span<std::byte> piece);
    // Each rank sums one part of everybody's reserved memory and writes the sums to everybody.
    Result<void> sumInPlace(Element element, std::uint16_t which);
    // Which reserved memory (from 1), 0 = none of them.
    std::uint16_t reservedAs(std::span<const std::byte> data) const;
    std::size_t pieceBytes() const;

    // Memory of all ranks that reserve() made.
    struct Reserved {
        std::shared_ptr<std::byte> memory;
        std::size_t bytes = 0;  // of each rank
        std::byte* of(int rank) const { return memory.get() + static_cast<std::size_t>(rank) * SharedSegment::extensionStride(bytes); }
    };

    SharedChannel m_channel;
    std::vector<Reserved> m_reserved;
    std::string m_transport;
    std::vector<const std::byte*> m_sources;
    std::vector<std::byte*> m_targets;
    std::atomic<std::uint64_t> m_bytesSent = 0;
};

}  // namespace lockstep::comm
