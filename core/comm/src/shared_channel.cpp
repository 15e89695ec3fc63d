#include "shared_channel.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace lockstep::comm {
namespace {

constexpr std::chrono::nanoseconds kLivenessEvery = std::chrono::milliseconds(100);
constexpr std::uint64_t kSleeping = std::uint64_t{1} << 32;

int processorsOf(const SegmentHeader& header) {
    int count = 0;
    for (const auto& word : header.processors) count += std::popcount(word.load());
    return count;
}

}  // namespace

SharedChannel::SharedChannel(std::unique_ptr<SharedSegment> segment, int rank, std::chrono::nanoseconds longestSpin)
    : m_segment(std::move(segment)), m_rank(rank), m_size(static_cast<int>(m_segment->header().size)) {
    // With fewer processors than ranks, spinning takes the time from the rank one waits for.
    if (processorsOf(m_segment->header()) >= m_size) m_spin = SpinBudget(longestSpin);
}

SharedChannel::~SharedChannel() {
    auto expected = RankStatus::Joined;
    m_segment->record(m_rank).status.compare_exchange_strong(expected, RankStatus::Left);
    wakeAll(*m_segment);
}

Result<void> SharedChannel::start(const Operation& operation, Deadline deadline) {
    if (m_breakage.broken()) return m_breakage.error();
    m_operation = operation;
    m_operationWord = operation.word();
    m_deadline = deadline;
    m_startedAt = std::chrono::steady_clock::now();
    return {};
}

Result<void> SharedChannel::beginPiece() {
    const auto before = valueOf(Phase::Contributed);
    ++m_piece;
    if (m_piece > 1) LS_TRY(wait(0, m_size, before));
    m_segment->record(m_rank).operation[m_piece % 2].store(m_operationWord, std::memory_order_relaxed);
    return {};
}

void SharedChannel::post(Phase phase) {
    m_segment->record(m_rank).counter.store(valueOf(phase));
    for (int rank = 0; rank < m_size; ++rank)
        if (rank != m_rank) wake(*m_segment, rank);
}

Result<void> SharedChannel::waitForAll(Phase phase) {
    LS_TRY(wait(0, m_size, valueOf(phase)));
    if (auto differs = difference(0, m_size)) return fail(*differs);
    return {};
}

Result<void> SharedChannel::waitFor(int rank, Phase phase) {
    LS_TRY(wait(rank, rank + 1, valueOf(phase)));
    if (auto differs = difference(rank, rank + 1)) return fail(*differs);
    return {};
}

void SharedChannel::abort(Error why) { fail(std::move(why)); }

std::vector<int> SharedChannel::late() const {
    const auto waiting = m_waiting.load();
    if (waiting < kSleeping) return {};
    return behind(0, m_size, static_cast<std::uint32_t>(waiting));
}

bool SharedChannel::reached(int rank, std::uint32_t value) const {
    return static_cast<std::int32_t>(m_segment->record(rank).counter.load() - value) >= 0;
}

std::vector<int> SharedChannel::behind(int from, int to, std::uint32_t value) const {
    std::vector<int> ranks;
    for (int rank = from; rank < to; ++rank)
        if (rank != m_rank && !reached(rank, value)) ranks.push_back(rank);
    return ranks;
}

Result<void> SharedChannel::wait(int from, int to, std::uint32_t value) {
    if (m_breakage.broken()) return m_breakage.error();
    if (spin(from, to, value)) return {};
    const auto since = std::chrono::steady_clock::now();
    m_waiting = kSleeping | value;
    m_segment->record(m_rank).sleeping = 1;
    auto slept = sleep(from, to, value);
    m_segment->record(m_rank).sleeping = 0;
    m_waiting = 0;
    m_spin.slept(std::chrono::steady_clock::now() - since + m_spin.limit());
    return slept;
}

bool SharedChannel::spin(int from, int to, std::uint32_t value) {
    const auto allReached = [&] {
        while (from < to && (from == m_rank || reached(from, value))) ++from;
        return from >= to;
    };
    if (allReached()) return true;
    if (m_spin.limit().count() == 0) return false;
    const auto until = std::chrono::steady_clock::now() + m_spin.limit();
    do {
        for (int i = 0; i < 32; ++i) {
            if (allReached()) return true;
            relaxProcessor();
        }
    } while (!m_breakage.broken() && std::chrono::steady_clock::now() < until);
    return false;
}

Result<void> SharedChannel::sleep(int from, int to, std::uint32_t value) {
    auto& bell = m_segment->record(m_rank).bell;
    auto checkAt = std::chrono::steady_clock::now() + kLivenessEvery;
    while (true) {
        const auto seen = bell.load();
        if (behind(from, to, value).empty()) return {};
        if (m_breakage.broken()) return m_breakage.error();
        const auto now = std::chrono::steady_clock::now();
        auto found = partings(from, to, value);
        // A dead process is the cause of what the others report, so it is named first.
        if (found.has_value() || now >= checkAt) {
            if (auto dead = deadProcess()) return fail(*dead);
            if (found.has_value()) return fail(*found);
            checkAt = now + kLivenessEvery;
        }
        if (now >= m_deadline.at()) {
            const auto late = behind(0, m_size, value);
            return fail(lateError(late, otherRanks(late, m_size), m_operation.text(), now - m_startedAt));
        }
        sleepOnBell(bell, seen, std::min<std::chrono::nanoseconds>(kLivenessEvery, m_deadline.at() - now));
    }
}

std::optional<Error> SharedChannel::deadProcess() const {
    for (int rank = 0; rank < m_size; ++rank)
        if (rank != m_rank && m_segment->record(rank).status.load() == RankStatus::Joined && m_segment->processEnded(rank))
            return goneError(rank, "its process " + std::to_string(m_segment->record(rank).processId.load()) + " ended");
    return std::nullopt;
}

std::optional<Error> SharedChannel::partings(int from, int to, std::uint32_t value) const {
    for (int rank = 0; rank < m_size; ++rank) {
        if (rank == m_rank) continue;
        const auto& record = m_segment->record(rank);
        const auto status = record.status.load();
        if (status == RankStatus::Failed) return goneError(rank, "it gave up (" + std::string(record.why.data()) + ")");
        // The counter is read after the status: a rank that did its part and left is not missed.
        if (status != RankStatus::Left || rank < from || rank >= to || reached(rank, value)) continue;
        return goneError(rank, "it left the group");
    }
    return std::nullopt;
}

std::optional<Error> SharedChannel::difference(int from, int to) const {
    for (int rank = from; rank < to; ++rank) {
        const auto theirs = m_segment->record(rank).operation[m_piece % 2].load(std::memory_order_relaxed);
        if (theirs != m_operationWord) return differenceError(m_rank, m_operation, rank, Operation::fromWord(theirs));
    }
    return std::nullopt;
}

Error SharedChannel::fail(Error why) {
    if (m_breakage.set(std::move(why))) {
        auto& record = m_segment->record(m_rank);
        auto expected = RankStatus::Joined;
        if (record.status.compare_exchange_strong(expected, RankStatus::Failing)) {
            const auto text = m_breakage.error().code + ": " + m_breakage.error().message;
            std::memcpy(record.why.data(), text.data(), std::min(text.size(), record.why.size() - 1));
            record.status = RankStatus::Failed;
        }
        wakeAll(*m_segment);
    }
    return m_breakage.error();
}

}  // namespace lockstep::comm
