// How the ranks of a segment wait for each other: every rank raises its own counter and watches the others'.
//
// Work is a sequence of pieces; piece p raises a rank's counter to 2p + 1 (its bytes are in its slot) and maybe to 2p + 2 (its share is
// reduced). Slots have two halves, used in turn. Before a rank writes half p % 2 it has seen everyone at 2(p - 1) + 1, and whoever is
// there has done with piece p - 2, the last one that used this half.
#pragma once

#include "breakage.h"
#include "shared_segment.h"
#include "spin.h"
#include "words.h"

#include <atomic>
#include <optional>

namespace lockstep::comm {

enum class Phase : std::uint32_t { Contributed = 1, Reduced = 2 };

class SharedChannel {
public:
    SharedChannel(std::unique_ptr<SharedSegment> segment, int rank, std::chrono::nanoseconds longestSpin);
    ~SharedChannel();
    SharedChannel(const SharedChannel&) = delete;
    SharedChannel& operator=(const SharedChannel&) = delete;

    // One call of a collective: every wait until the next one reports against it.
    Result<void> start(const Operation& operation, Deadline deadline);
    // The next piece: afterwards half(rank()) may be written.
    Result<void> beginPiece();
    // Raises this rank's counter: what was written before is seen by whoever waits for it.
    void post(Phase phase);
    // Returns when every rank, or that one rank, has posted this phase of the current piece.
    Result<void> waitForAll(Phase phase);
    Result<void> waitFor(int rank, Phase phase);

    std::byte* half(int rank) const { return m_segment->slot(rank, m_piece % 2); }
    std::size_t halfBytes() const { return m_segment->halfBytes(); }
    SharedSegment& segment() const { return *m_segment; }
    int rank() const { return m_rank; }
    int size() const { return m_size; }
    std::uint64_t epoch() const { return m_segment->header().epoch; }

    // Thread safe. Fails what waits and what comes, and tells the other ranks.
    void abort(Error why);
    // Thread safe. Ranks that the wait in progress waits for.
    std::vector<int> late() const;

private:
    std::uint32_t valueOf(Phase phase) const { return 2 * m_piece + static_cast<std::uint32_t>(phase); }
    bool reached(int rank, std::uint32_t value) const;
    std::vector<int> behind(int from, int to, std::uint32_t value) const;
    Result<void> wait(int from, int to, std::uint32_t value);
    bool spin(int from, int to, std::uint32_t value);
    Result<void> sleep(int from, int to, std::uint32_t value);
    std::optional<Error> deadProcess() const;
    std::optional<Error> partings(int from, int to, std::uint32_t value) const;
    std::optional<Error> difference(int from, int to) const;
    Error fail(Error why);

    std::unique_ptr<SharedSegment> m_segment;
    int m_rank;
    int m_size;
    std::uint32_t m_piece = 0;
    Operation m_operation;
    std::uint64_t m_operationWord = 0;
    Deadline m_deadline = Deadline::never();
    std::chrono::steady_clock::time_point m_startedAt;
    SpinBudget m_spin;
    Breakage m_breakage;
    std::atomic<std::uint64_t> m_waiting = 0;  // value waited for, + 2^32 while a wait sleeps
};

}  // namespace lockstep::comm
