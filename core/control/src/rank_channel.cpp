#include <control/rank_channel.h>

#include <base/log.h>
#include <base/thread.h>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <csignal>
#include <mutex>

namespace lockstep::control {
namespace {

using namespace std::chrono_literals;
using Time = std::chrono::steady_clock::time_point;

constexpr Seconds kSendDeadline{10};
constexpr auto kBeat = 100ms;       // between progress messages
constexpr Seconds kAfterLease{60};  // for the last checkpoint of a rank without agent, then it ends itself
constexpr int kLeaseExit = 75;

class Channel final : public RankChannel {
public:
    Channel(Fd socket, Fd signals)
        : m_socket(std::move(socket)), m_signals(std::move(signals)), m_wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
    ~Channel() override {
        m_thread.request_stop();
        wake();
    }

    Result<void> receiveAssignment(Deadline deadline);

    const wire::RankAssignment& assignment() const override { return m_assignment; }
    void start(std::function<void(const Error&)> abort, std::function<std::vector<int>()> late) override;

    void expect(std::uint64_t steps) override { m_steps = steps; }
    void phase(const std::string& name) override { send(wire::RankPhase{name, m_step.load(std::memory_order_acquire)}); }
    void progress(std::uint64_t step) noexcept override {
        m_step.store(step, std::memory_order_release);
        if (!m_stepped.exchange(true, std::memory_order_relaxed)) wake();
    }
    void checkpointed(std::uint64_t step, const std::string& id) override { send(wire::RankCheckpoint{step, id}); }
    void warning(const Error& warning) override { send(wire::RankWarning{warning}); }
    void done(const wire::RankDone& result) override { sendLast(result); }
    void failed(const Error& error) override { sendLast(wire::RankFailed{error}); }
    std::atomic<bool>& stopFlag() override { return m_stop; }
    std::atomic<bool>& checkpointFlag() override { return m_checkpoint; }
    bool leaseLost() const override { return m_leaseLost; }

private:
    void run(std::stop_token stop);
    void readSocket(Time now);
    void obey(const wire::ToRank& message, Time now);
    void watchLease(Time now);
    void sendProgress();
    void send(const wire::FromRank& message);
    void sendLast(const wire::FromRank& message) {
        sendProgress();
        send(message);
    }
    void wake() noexcept {
        const std::uint64_t one = 1;
        [[maybe_unused]] const auto written = ::write(m_wake.get(), &one, sizeof one);
    }

    Fd m_socket;
    Fd m_signals;
    Fd m_wake;
    wire::FrameParser m_parser;
    wire::RankAssignment m_assignment;
    std::function<void(const Error&)> m_abort;
    std::function<std::vector<int>()> m_late;
    std::timed_mutex m_sending;
    std::atomic<bool> m_connected{true};
    std::atomic<std::uint64_t> m_step{0};
    std::atomic<std::uint64_t> m_steps{0};
    std::atomic<bool> m_stepped{false};
    std::atomic<bool> m_stop{false};
    std::atomic<bool> m_checkpoint{false};
    std::atomic<bool> m_leaseLost{false};
    Time m_lastBeat;
    Time m_lastProgress;
    std::jthread m_thread;
};

Result<void> Channel::receiveAssignment(Deadline deadline) {
    LS_TRY(wire::writeFrame(m_socket.get(), toFrame(wire::FromRank(wire::RankHello{::getpid()})), deadline));
    for (;;) {
        LS_TRY_ASSIGN(const auto frame, m_parser.next());
        if (frame) {
            LS_TRY_ASSIGN(auto message, wire::parseToRank(*frame));
            if (auto* assignment = std::get_if<wire::RankAssignment>(&message)) {
                m_assignment = std::move(*assignment);
                return {};
            }
            continue;
        }
        pollfd wait{m_socket.get(), POLLIN, 0};
        if (::poll(&wait, 1, deadline.pollTimeout()) == 0) return makeError("N411", {{"reason", "the agent sends no assignment"}});
        LS_TRY_ASSIGN(const bool open, wire::readAvailable(m_socket.get(), m_parser));
        if (!open) return makeError("N411", {{"reason", "the agent is gone"}});
    }
}

void Channel::start(std::function<void(const Error&)> abort, std::function<std::vector<int>()> late) {
    m_abort = std::move(abort);
    m_late = std::move(late);
    m_lastBeat = std::chrono::steady_clock::now();
    m_thread = startThread("rank-channel", [this](std::stop_token stop) { run(stop); });
}

void Channel::run(std::stop_token stop) {
    while (!stop.stop_requested()) {
        std::array<pollfd, 3> waits{
            {{m_wake.get(), POLLIN, 0}, {m_signals.get(), POLLIN, 0}, {m_connected ? m_socket.get() : -1, POLLIN, 0}}};
        ::poll(waits.data(), waits.size(), static_cast<int>(std::chrono::milliseconds(kBeat).count()));
        const Time now = std::chrono::steady_clock::now();
        std::uint64_t count = 0;
        [[maybe_unused]] const auto drained = ::read(m_wake.get(), &count, sizeof count);
        signalfd_siginfo signal{};
        if (::read(m_signals.get(), &signal, sizeof signal) == sizeof signal) m_stop = true;
        if (waits[2].revents != 0) readSocket(now);
        watchLease(now);
        if (count > 0 || now - m_lastProgress >= kBeat) {
            sendProgress();
            m_lastProgress = now;
        }
    }
}

void Channel::readSocket(Time now) {
    const auto open = wire::readAvailable(m_socket.get(), m_parser);
    for (;;) {
        const auto frame = m_parser.next();
        if (!frame.ok() || !*frame) break;
        if (const auto message = wire::parseToRank(**frame); message.ok()) obey(*message, now);
    }
    if (!open.ok() || !*open) {
        m_connected = false;
        log(LogLevel::Warning, "the agent is gone; the lease ends in " + std::to_string(m_assignment.leaseSeconds) + " s");
    }
}

void Channel::obey(const wire::ToRank& message, Time now) {
    m_lastBeat = now;
    const auto* command = std::get_if<wire::RankCommand>(&message);
    if (command == nullptr) return;
    switch (command->order) {
        case wire::RankOrder::Stop: m_stop = true; break;
        case wire::RankOrder::Checkpoint: m_checkpoint = true; break;
        case wire::RankOrder::Abort: {
            const Error why = command->why.value_or(makeError("R530", {{"why", "the run is being ended"}}));
            log(LogLevel::Warning, "given up: " + why.message);
            m_stop = true;
            m_abort(why);
            break;
        }
    }
}

void Channel::watchLease(Time now) {
    const Seconds without = now - m_lastBeat;
    if (without < Seconds(m_assignment.leaseSeconds)) return;
    if (!m_leaseLost) {
        log(LogLevel::Error, "no agent for " + std::to_string(without.count()) + " s: checkpoint and end");
        m_stop = true;
        m_leaseLost = true;  // last: who sees the loss sees the stop as well
    }
    if (without >= Seconds(m_assignment.leaseSeconds) + kAfterLease) {
        log(LogLevel::Error, "the last checkpoint does not end: giving up");
        ::_exit(kLeaseExit);
    }
}

void Channel::sendProgress() {
    send(wire::RankProgress{m_step.load(std::memory_order_acquire), m_steps.load(), m_late ? m_late() : std::vector<int>()});
}

void Channel::send(const wire::FromRank& message) {
    if (!m_connected) return;
    // Timed: a thread that ran out of memory in here holds it for ever, and what is said then comes by here again.
    const std::unique_lock lock(m_sending, std::chrono::seconds(1) + kSendDeadline);
    if (!lock.owns_lock()) return;
    const auto sent = wire::writeFrame(m_socket.get(), toFrame(message), Deadline::in(kSendDeadline));
    if (!sent.ok()) m_connected = false;
}

}  // namespace

Result<std::unique_ptr<RankChannel>> RankChannel::open(Fd socket, Deadline deadline) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
    Fd signals(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!signals.valid()) return makeError("X001", {{"what", "signalfd: " + systemText(errno)}});
    auto channel = std::make_unique<Channel>(std::move(socket), std::move(signals));
    LS_TRY(channel->receiveAssignment(deadline));
    return std::unique_ptr<RankChannel>(std::move(channel));
}

}  // namespace lockstep::control
