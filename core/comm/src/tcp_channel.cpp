#include "tcp_channel.h"

#include "reduce.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>

namespace lockstep::comm {
namespace {

constexpr auto kSlowAfter = std::chrono::milliseconds(50);
constexpr std::uint64_t kTidyEvery = 64;      // collectives between two looks at all connections
constexpr std::size_t kAddAtOnce = 16 << 10;  // still in the first cache when it is added
constexpr Seconds kFarewellPatience{0.3};

}  // namespace

struct TcpChannel::Progress {
    std::size_t sent = 0;
    std::size_t received = 0;
    std::size_t added = 0;
    bool sendDone = false;
    bool receiveDone = false;
    std::chrono::steady_clock::time_point waitingSince{};  // epoch = not waiting
    std::span<std::byte> into;
};

TcpChannel::TcpChannel(int rank, std::vector<std::unique_ptr<TcpPeer>> peers, std::chrono::nanoseconds longestSpin)
    : m_rank(rank), m_peers(std::move(peers)), m_alarm(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), m_spin(longestSpin) {}

TcpChannel::~TcpChannel() {
    const std::scoped_lock lock(m_busy);
    sayFarewell();
    // Closing with unread bytes would reset the connection and take back what is still on its way out.
    pumpAll();
}

TcpChannel::Call::Call(TcpChannel& channel, const Operation& operation, Deadline deadline) : m_channel(channel) {
    channel.m_busy.lock();
    channel.m_operation = operation;
    channel.m_deadline = deadline;
    channel.m_startedAt = std::chrono::steady_clock::now();
    channel.m_announced = false;
    if (++channel.m_sequence % kTidyEvery == 0) channel.pumpAll();
}

TcpChannel::Call::~Call() {
    if (m_channel.m_breakage.broken())
        m_channel.sayFarewell();  // who was late stays known
    else
        m_channel.m_slowSequence = 0;
    m_channel.m_busy.unlock();
}

Result<void> TcpChannel::Call::ready() const {
    if (m_channel.m_breakage.broken()) return m_channel.m_breakage.error();
    return {};
}

void TcpChannel::abort(Error why) {
    m_breakage.set(std::move(why));
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto rung = ::write(m_alarm.get(), &one, sizeof one);
    // A collective in progress says farewell itself when it ends.
    const std::unique_lock lock(m_busy, std::try_to_lock);
    if (lock.owns_lock()) sayFarewell();
}

std::vector<int> TcpChannel::late() const {
    const auto sequence = m_slowSequence.load();
    return sequence == 0 ? std::vector<int>() : notArrived(sequence);
}

std::vector<int> TcpChannel::notArrived(std::uint64_t sequence) const {
    std::vector<int> ranks;
    for (const auto& other : m_peers)
        if (other != nullptr && other->arrived() < sequence) ranks.push_back(other->rank());
    return ranks;
}

Result<void> TcpChannel::exchange(const Exchange& step) {
    Progress progress;
    progress.sendDone = step.to < 0;
    progress.receiveDone = step.from < 0;
    progress.into = step.receive;
    if (step.addTo != nullptr) {
        if (m_scratch.size() < step.receive.size()) m_scratch.resize(step.receive.size());
        progress.into = std::span(m_scratch).first(step.receive.size());
    }
    if (m_breakage.broken()) return m_breakage.error();
    if (!progress.sendDone) peer(step.to).beginFrame(dataHeader(m_sequence, m_operation, step.send.size()));
    while (!progress.sendDone || !progress.receiveDone) {
        bool moved = sendSome(step, progress);
        auto received = receiveSome(step, progress);
        if (!received.ok()) {
            finishFrame(step, progress);
            return received.error();
        }
        moved = *received || moved;
        addSome(step, progress);
        if (moved) {
            progress.waitingSince = {};
            continue;
        }
        auto waited = waitForMore(step, progress);
        if (waited.ok()) continue;
        finishFrame(step, progress);
        return waited;
    }
    addSome(step, progress);
    return {};
}

bool TcpChannel::sendSome(const Exchange& step, Progress& progress) {
    if (progress.sendDone) return false;
    auto& to = peer(step.to);
    const bool headerWaits = !to.headerSent();
    const auto sent = to.writeFrame(step.send.subspan(progress.sent));
    progress.sent += sent;
    m_bytesSent.fetch_add(sent, std::memory_order_relaxed);
    progress.sendDone = to.headerSent() && progress.sent == step.send.size();
    return sent > 0 || progress.sendDone || (headerWaits && to.headerSent());
}

Result<bool> TcpChannel::receiveSome(const Exchange& step, Progress& progress) {
    if (progress.receiveDone) return false;
    auto& from = peer(step.from);
    bool moved = false;
    if (!from.waiting().has_value()) {
        moved = from.pump();
        if (!from.waiting().has_value()) return moved;
    }
    const auto& header = *from.waiting();
    if (header.sequence != m_sequence || header.operation != m_operation.word() || header.bytes != progress.into.size())
        return fail(differenceError(m_rank, m_operation, step.from, Operation::fromWord(header.operation)), -1);
    const auto got = from.readPayload(progress.into.subspan(progress.received));
    progress.received += got;
    progress.receiveDone = progress.received == progress.into.size();
    if (progress.receiveDone) from.finishFrame();
    return moved || got > 0 || progress.receiveDone;
}

void TcpChannel::addSome(const Exchange& step, Progress& progress) const {
    if (step.addTo == nullptr) return;
    auto ready = progress.received;
    // Bytes that are still to be sent keep their old value.
    if (step.send.data() == step.addTo && !progress.sendDone) ready = std::min(ready, progress.sent);
    const auto width = elementSize(m_operation.element);
    ready -= ready % width;
    const bool last = ready == progress.into.size();
    if (ready - progress.added < kAddAtOnce && !last) return;
    addInto(m_operation.element, step.addTo + progress.added, progress.into.data() + progress.added, ready - progress.added);
    progress.added = ready;
}

Result<void> TcpChannel::waitForMore(const Exchange& step, Progress& progress) {
    if (m_breakage.broken()) return m_breakage.error();
    LS_TRY(checkPeers(step, progress));
    const auto now = std::chrono::steady_clock::now();
    if (progress.waitingSince == std::chrono::steady_clock::time_point{}) progress.waitingSince = now;
    if (now - progress.waitingSince < m_spin.limit()) {
        relaxProcessor();
        return {};
    }
    if (now >= m_deadline.at()) return tooLate(step, progress);
    const bool slow = now - m_startedAt >= kSlowAfter;
    if (slow) announceArrival(step, progress);
    const auto next = slow ? std::chrono::nanoseconds(std::chrono::seconds(1)) : m_startedAt + kSlowAfter - now;
    const auto limit = std::min<std::chrono::nanoseconds>(next, m_deadline.at() - now);
    poll(step, progress, static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(limit).count()));
    m_spin.slept(std::chrono::steady_clock::now() - progress.waitingSince);
    if (slow) pumpAll();
    return {};
}

void TcpChannel::poll(const Exchange& step, const Progress& progress, int milliseconds) {
    std::array<pollfd, 3> few{};
    std::vector<pollfd> all;  // only when the collective is slow already
    std::size_t count = 0;
    few[count++] = {m_alarm.get(), POLLIN, 0};
    if (!progress.sendDone) few[count++] = {peer(step.to).socket(), POLLOUT, 0};
    if (!progress.receiveDone) few[count++] = {peer(step.from).socket(), POLLIN, 0};
    if (!m_announced) {
        ::poll(few.data(), count, milliseconds);
        return;
    }
    all.assign(few.begin(), few.begin() + static_cast<std::ptrdiff_t>(count));
    for (const auto& other : m_peers)
        if (other != nullptr && !other->waiting().has_value() && !other->ended().has_value() && other->rank() != step.from)
            all.push_back({other->socket(), POLLIN, 0});
    ::poll(all.data(), all.size(), milliseconds);
}

void TcpChannel::announceArrival(const Exchange& step, const Progress& progress) {
    if (m_announced) return;
    m_announced = true;
    for (const auto& other : m_peers)
        if (other != nullptr && (other->rank() != step.to || progress.sendDone)) other->notify(m_sequence);
    pumpAll();
    m_slowSequence = m_sequence;
}

void TcpChannel::pumpAll() {
    for (const auto& other : m_peers)
        if (other != nullptr) other->pump();
}

// A connection that ended matters at once when this step needs it, and in a slow collective whichever it is.
Result<void> TcpChannel::checkPeers(const Exchange& step, const Progress& progress) {
    const auto over = [&](int rank) { return rank >= 0 && peer(rank).ended().has_value(); };
    const TcpPeer* bad = nullptr;
    if (!progress.receiveDone && over(step.from)) bad = &peer(step.from);
    if (!progress.sendDone && over(step.to)) bad = &peer(step.to);
    if (bad == nullptr && !m_announced) return {};
    pumpAll();
    for (const auto& other : m_peers) {
        if (other == nullptr || !other->ended().has_value()) continue;
        // Who left in order has done all its sends; it is only missed when something is still needed from it.
        const bool leftInOrder = other->farewell().has_value() && other->farewell()->text.empty();
        if (bad == nullptr && leftInOrder) continue;
        // Without a farewell a process died: the cause of everything else.
        if (bad == nullptr || (bad->farewell().has_value() && !other->farewell().has_value())) bad = other.get();
    }
    if (bad == nullptr) return {};
    const int culprit = bad->farewell().has_value() && bad->farewell()->culprit >= 0 ? bad->farewell()->culprit : bad->rank();
    return fail(blame(*bad), culprit);
}

Error TcpChannel::blame(const TcpPeer& other) const {
    const auto& farewell = other.farewell();
    if (!farewell.has_value() || farewell->culprit < 0 || farewell->culprit == m_rank || farewell->culprit >= size())
        return goneError(other.rank(), *other.ended());
    return goneError(farewell->culprit, "rank " + std::to_string(other.rank()) + " lost it (" + farewell->text + ")");
}

Error TcpChannel::tooLate(const Exchange& step, const Progress& progress) {
    pumpAll();
    auto late = notArrived(m_sequence);
    // All have arrived and one stopped on the way: the one this step waits for.
    if (late.empty()) late = {progress.receiveDone ? step.to : step.from};
    return fail(lateError(late, otherRanks(late, size()), m_operation.text(), std::chrono::steady_clock::now() - m_startedAt), -1);
}

Error TcpChannel::fail(Error why, int culprit) {
    if (m_breakage.set(std::move(why))) m_culprit = culprit;
    return m_breakage.error();
}

// The farewell goes between frames, so a half-sent one is completed first, within a short patience.
void TcpChannel::finishFrame(const Exchange& step, Progress& progress) {
    const auto patience = Deadline::in(kFarewellPatience);
    while (!progress.sendDone && !peer(step.to).ended().has_value() && !patience.passed()) {
        if (sendSome(step, progress)) continue;
        pollfd writable{peer(step.to).socket(), POLLOUT, 0};
        if (::poll(&writable, 1, patience.pollTimeout()) <= 0) break;
        peer(step.to).pump();
        if (step.to == step.from && peer(step.to).waiting().has_value()) break;
    }
    if (!progress.sendDone) peer(step.to).closeSending();
}

void TcpChannel::sayFarewell() {
    if (std::exchange(m_farewellSaid, true)) return;
    Farewell farewell;
    if (m_breakage.broken()) {
        const auto error = m_breakage.error();
        farewell = {m_culprit.load(), error.code + ": " + error.message};
    }
    for (const auto& other : m_peers) {
        if (other == nullptr) continue;
        other->sayGoodbye(farewell);
        other->closeSending();
    }
}

}  // namespace lockstep::comm
