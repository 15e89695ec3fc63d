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
    void abort(Error why) override { m_channel.abort(std::move(why)); }
    GroupInfo info() const override;

private:
    // Everyone reads everyone's bytes: one wait.
    Result<void> sumByReadingAll(Element element, std::span<std::byte> piece);
    // Each rank sums one part and reads the others' sums: two waits, less to read.
    Result<void> sumByParts(Element element, std::span<std::byte> piece);
    std::size_t pieceBytes() const;

    SharedChannel m_channel;
    std::string m_transport;
    std::vector<const std::byte*> m_sources;
    std::atomic<std::uint64_t> m_bytesSent = 0;
};

}  // namespace lockstep::comm
