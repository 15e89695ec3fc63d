#include "rank_process.h"

#include <base/spawn.h>
#include <cluster/inventory.h>
#include <comm/endpoint.h>

#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>

namespace lockstep::control {
namespace {

constexpr int kSocketNumber = 3;
constexpr int kRingNumber = 4;
constexpr int kListenNumber = 5;
constexpr Seconds kLeastUsage{0.2};
constexpr Seconds kKillIsRecent{5};
constexpr Seconds kSendDeadline{1};  // a rank that does not read its socket must not hold the agent up

Error refused(const char* what, int reason) { return makeError("R536", {{"what", what}, {"reason", systemText(reason)}}); }

// Fixed words only; the run's id and the rank are there for people who look at ps.
std::vector<std::string> makeArguments(const wire::RankAssignment& assignment) {
    return {"worker", "--task=rank", "--fd=" + std::to_string(kSocketNumber), "--run=" + assignment.run,
            "--rank=" + std::to_string(assignment.rank)};
}

}  // namespace

Result<Fd> RankProcess::listenFor(const RankLaunch& launch) {
    if (launch.address.empty()) return Fd();
    LS_TRY_ASSIGN(const auto endpoint, comm::parseEndpoint(launch.address));
    LS_TRY_ASSIGN(auto listener, comm::listenAt(endpoint));
    return std::move(listener.socket);
}

Result<std::unique_ptr<RankProcess>> RankProcess::start(RankLaunch launch, Fd listening) {
    int ends[2] = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return refused("a socket pair", errno);
    Fd ours(ends[0]);
    const Fd theirs(ends[1]);
    LS_TRY_ASSIGN(auto ring, telemetry::Ring::create());

    SpawnOptions options;
    options.program = launch.program;
    options.arguments = makeArguments(launch.assignment);
    const auto threads = std::to_string(std::max<std::size_t>(launch.cores.size(), 1));
    options.environment = {{"OMP_NUM_THREADS", threads}, {"OMP_DYNAMIC", "false"}};
    if (!launch.tfConfig.empty()) options.environment.emplace_back("TF_CONFIG", launch.tfConfig);
    options.output = launch.log;
    options.descriptors = {{theirs.get(), kSocketNumber}, {ring.fd(), kRingNumber}};
    launch.assignment.ringFd = kRingNumber;
    if (listening.valid()) {
        options.descriptors.emplace_back(listening.get(), kListenNumber);
        launch.assignment.listenFd = kListenNumber;
    }
    std::unique_ptr<RankProcess> process(new RankProcess(launch.assignment.rank, std::move(ring), std::chrono::steady_clock::now()));
    LS_TRY_ASSIGN(process->m_pid, spawnDetached(options));
    process->m_plan = launch.assignment.plan;
    process->m_kills = process->m_newerKills = cluster::outOfMemoryKills();
    process->m_cores = static_cast<int>(std::max<std::size_t>(launch.cores.size(), 1));
    process->m_pidfd = Fd(static_cast<int>(::syscall(SYS_pidfd_open, process->m_pid, 0)));
    if (!process->m_pidfd.valid()) {
        const int reason = errno;
        ::kill(process->m_pid, SIGKILL);
        ::waitpid(process->m_pid, nullptr, 0);
        return refused("watching a process", reason);
    }
    process->m_socket = std::move(ours);
    process->m_resumed = launch.assignment.resume;
    process->send(launch.assignment);
    return process;
}

std::vector<wire::FromRank> RankProcess::receive(Time now) {
    std::vector<wire::FromRank> messages;
    if (!m_socket.valid()) return messages;
    const auto open = wire::readAvailable(m_socket.get(), m_parser);
    bool understood = open.ok();
    while (understood) {
        const auto frame = m_parser.next();
        if (!frame.ok()) understood = false;
        if (!frame.ok() || !*frame) break;
        auto message = wire::parseFromRank(**frame);
        if (!message.ok()) {
            understood = false;
            break;
        }
        take(*message, now);
        messages.push_back(std::move(*message));
    }
    if (!understood || !*open) m_socket.reset();
    return messages;
}

void RankProcess::take(const wire::FromRank& message, Time now) {
    m_watch.heard(now);
    if (const auto* phase = std::get_if<wire::RankPhase>(&message)) {
        m_phase = phase->name;
        m_watch.phase(phase->name, now);
    } else if (const auto* progress = std::get_if<wire::RankProgress>(&message)) {
        sawStep(progress->step, now);
        m_steps = progress->steps;
        m_late = progress->late;
    } else if (const auto* done = std::get_if<wire::RankDone>(&message)) {
        m_done = *done;
    } else if (const auto* failed = std::get_if<wire::RankFailed>(&message)) {
        m_error = failed->error;
    }
}

void RankProcess::sawStep(std::uint64_t step, Time now) {
    m_step = std::max(m_step, step);
    m_watch.step(m_step, now);
}

// A rank that has gone takes no more messages, but its last word may still wait to be read: the socket stays open for receive().
void RankProcess::send(const wire::ToRank& message) {
    if (!m_socket.valid() || m_deaf) return;
    const auto frame = toFrame(message);
    m_deaf = !wire::writeFrame(m_socket.get(), frame, Deadline::in(kSendDeadline)).ok();
}

void RankProcess::kill(int signal) {
    m_killedByUs = m_killedByUs || signal == SIGKILL;
    if (!m_exited) ::syscall(SYS_pidfd_send_signal, m_pidfd.get(), signal, nullptr, 0);
}

// A process that is ended for want of memory is counted before it is gone, so that the count of a moment ago is not the one to compare
// with; one of long ago may be that of others.
void RankProcess::countKills(Time now) {
    if (now - m_killsAt < kKillIsRecent) return;
    m_kills = m_newerKills;
    m_newerKills = cluster::outOfMemoryKills();
    m_killsAt = now;
}

ExitStatus RankProcess::reap() {
    int status = 0;
    ExitStatus how;
    while (::waitpid(m_pid, &status, 0) < 0 && errno == EINTR) {}
    if (WIFSIGNALED(status)) how.signal = WTERMSIG(status);
    if (WIFEXITED(status)) how.code = WEXITSTATUS(status);
    how.outOfMemory = how.signal == SIGKILL && !m_killedByUs && cluster::outOfMemoryKills() > m_kills;
    m_exited = true;
    return how;
}

std::vector<telemetry::Sample> RankProcess::usage(double unixTime, Time now) {
    if (m_exited || (m_usageAt != Time{} && now - m_usageAt < kLeastUsage)) return {};
    const auto reading = telemetry::readProcessUsage(m_pid);
    if (!reading.ok()) return {};
    std::vector<telemetry::Sample> samples;
    const auto add = [&](telemetry::Series series, double value) {
        samples.push_back({unixTime, value, m_step, series, static_cast<std::int16_t>(m_rank), 0});
    };
    // The first look is only what the next is compared with. A process that has ended tells its times, but no memory any more.
    if (m_usageAt != Time{} && !(m_resumed && m_step == 0)) {
        if (reading->residentBytes > 0) add(telemetry::Series::MemoryBytes, static_cast<double>(reading->residentBytes));
        add(telemetry::Series::DeviceBusyRatio, telemetry::busyRatio(m_usage, *reading, Seconds(now - m_usageAt).count(), m_cores));
    }
    if (const auto dropped = m_ring.dropped(); dropped > 0 && !(m_resumed && m_step == 0))
        add(telemetry::Series::DroppedSamples, static_cast<double>(dropped));
    m_usage = *reading;
    m_usageAt = now;
    return samples;
}

}  // namespace lockstep::control
