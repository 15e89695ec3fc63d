// Collectives over TCP: recursive doubling where latency counts, a ring where bytes count.
#pragma once

#include "tcp_channel.h"

namespace lockstep::comm {

class TcpGroup final : public Group {
public:
    TcpGroup(int rank, std::uint64_t epoch, std::vector<std::unique_ptr<TcpPeer>> peers, std::chrono::nanoseconds longestSpin);

    Result<void> allReduce(const AllReduce& options) override;
    Result<void> broadcast(const Broadcast& options) override;
    Result<void> barrier(Deadline deadline) override;
    void abort(Error why) override { m_channel.abort(std::move(why)); }
    GroupInfo info() const override;

private:
    using Call = TcpChannel::Call;
    // ⌈lg n⌉ steps of all bytes. Partners add the same two values, so all end with the same bits.
    Result<void> sumByDoubling(Call& call, std::span<std::byte> data);
    // 2(n - 1) steps of 1/n of the bytes. Each part is summed along one path and then handed on as it is.
    Result<void> sumByRing(Call& call, std::size_t width, std::span<std::byte> data);

    TcpChannel m_channel;
    std::uint64_t m_epoch;
};

}  // namespace lockstep::comm
