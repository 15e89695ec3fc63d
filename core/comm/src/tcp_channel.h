// How a rank of a TCP group exchanges bytes with two others at a time, waits, and finds out who is late or gone.
//
// In a collective, a rank that has waited for kSlowAfter tells all others that it has arrived, once; so at a deadline every rank knows
// who has not, although it talks to few of them. A rank that fails says why before it closes, so that the others name the cause and not
// the messenger.
#pragma once

#include "breakage.h"
#include "spin.h"
#include "tcp_peer.h"

#include <memory>
#include <mutex>
#include <vector>

namespace lockstep::comm {

// One full-duplex step. Empty spans are sent and received too (as frames without payload); rank -1 = not at all.
struct Exchange {
    int to = -1;
    std::span<const std::byte> send = {};
    int from = -1;
    std::span<std::byte> receive = {};
    // When set: what is received is added to this memory as it comes. It may be the memory that is being sent.
    std::byte* addTo = nullptr;
};

class TcpChannel {
public:
    // `peers[r]` is the connection to rank r; the own element is empty.
    TcpChannel(int rank, std::vector<std::unique_ptr<TcpPeer>> peers, std::chrono::nanoseconds longestSpin);
    ~TcpChannel();
    TcpChannel(const TcpChannel&) = delete;
    TcpChannel& operator=(const TcpChannel&) = delete;

    // One collective: holds the channel until it ends.
    class Call {
    public:
        Call(TcpChannel& channel, const Operation& operation, Deadline deadline);
        ~Call();
        Call(const Call&) = delete;
        Call& operator=(const Call&) = delete;
        // The group's error when it is broken.
        Result<void> ready() const;
        Result<void> exchange(const Exchange& step) { return m_channel.exchange(step); }

    private:
        TcpChannel& m_channel;
    };

    int rank() const { return m_rank; }
    int size() const { return static_cast<int>(m_peers.size()); }
    std::uint64_t bytesSent() const { return m_bytesSent.load(std::memory_order_relaxed); }
    // Any thread.
    void abort(Error why);
    std::vector<int> late() const;

private:
    struct Progress;

    Result<void> exchange(const Exchange& step);
    bool sendSome(const Exchange& step, Progress& progress);
    Result<bool> receiveSome(const Exchange& step, Progress& progress);
    void addSome(const Exchange& step, Progress& progress) const;
    Result<void> waitForMore(const Exchange& step, Progress& progress);
    void poll(const Exchange& step, const Progress& progress, int milliseconds);
    void announceArrival(const Exchange& step, const Progress& progress);
    void pumpAll();
    Result<void> checkPeers(const Exchange& step, const Progress& progress);
    Error blame(const TcpPeer& peer) const;
    Error tooLate(const Exchange& step, const Progress& progress);
    std::vector<int> notArrived(std::uint64_t sequence) const;
    Error fail(Error why, int culprit);
    void finishFrame(const Exchange& step, Progress& progress);
    void sayFarewell();
    TcpPeer& peer(int rank) const { return *m_peers[static_cast<std::size_t>(rank)]; }

    int m_rank;
    std::vector<std::unique_ptr<TcpPeer>> m_peers;
    Fd m_alarm;  // eventfd: rung by abort()
    Breakage m_breakage;
    std::mutex m_busy;            // a collective, or a farewell, uses the sockets
    bool m_farewellSaid = false;  // under m_busy
    std::atomic<int> m_culprit = -1;
    SpinBudget m_spin;
    Operation m_operation;
    Deadline m_deadline = Deadline::never();
    std::chrono::steady_clock::time_point m_startedAt;
    std::uint64_t m_sequence = 0;
    bool m_announced = false;
    std::vector<std::byte> m_scratch;               // received bytes on their way into a sum
    std::atomic<std::uint64_t> m_slowSequence = 0;  // of the collective that waits, 0 = none
    std::atomic<std::uint64_t> m_bytesSent = 0;
};

}  // namespace lockstep::comm
