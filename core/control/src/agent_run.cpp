#include "agent_run.h"

#include <control/run_folder.h>

#include <base/clock.h>
#include <base/log.h>
#include <plan/ladder.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <csignal>

namespace lockstep::control {
namespace {

constexpr Seconds kBeat{1};  // longest time between lease messages
constexpr double kBeatsPerLease = 5;
constexpr Seconds kUsage{1};
constexpr std::size_t kEventFileLimit = 64u << 20;

// M904 for a rank that the out-of-memory killer took.
std::optional<Error> endedByKernel(const RankProcess& rank) {
    const auto plan = plan::parsePlan(rank.plan());
    if (!plan.ok() || static_cast<std::size_t>(rank.rank()) >= plan->ranks.size()) return std::nullopt;
    return plan::ranOutOfMemory(*plan, rank.rank(),
                                "at step " + std::to_string(rank.step()) + ": the system's out-of-memory killer ended its process");
}

}  // namespace

std::filesystem::path eventFile(const std::filesystem::path& spool, std::uint64_t epoch) {
    return spool / ("e" + std::to_string(epoch) + ".events");
}
std::filesystem::path sampleFile(const std::filesystem::path& spool, std::uint64_t epoch) {
    return spool / ("e" + std::to_string(epoch) + ".samples");
}

Result<std::vector<wire::RunEvent>> readEvents(const std::filesystem::path& spool, std::uint64_t epoch) {
    std::vector<wire::RunEvent> events;
    const auto file = eventFile(spool, epoch);
    std::error_code status;
    if (!std::filesystem::exists(file, status)) return events;
    LS_TRY_ASSIGN(const auto text, readFile(file, kEventFileLimit));
    for (std::size_t at = 0; at < text.size();) {
        const auto end = text.find('\n', at);
        if (end == std::string::npos) break;  // torn by a kill while it was written
        LS_TRY_ASSIGN(auto event, wire::parseRunEvent(std::string_view(text).substr(at, end - at)));
        events.push_back(std::move(event));
        at = end + 1;
    }
    return events;
}

AgentRun::AgentRun(const RunLaunch& launch, telemetry::Spool spool, Fd eventFile)
    : m_run(launch.run),
      m_epoch(launch.epoch),
      m_spoolFolder(launch.folder / "spool"),
      m_lease(launch.lease),
      m_spool(std::move(spool)),
      m_eventFile(std::move(eventFile)) {}

Result<std::unique_ptr<AgentRun>> AgentRun::start(RunLaunch launch) {
    const auto folder = launch.folder / "spool";
    std::vector<Fd> sockets;
    for (const auto& rank : launch.ranks) {
        LS_TRY_ASSIGN(auto socket, RankProcess::listenFor(rank));
        sockets.push_back(std::move(socket));
    }
    LS_TRY_ASSIGN(auto spool, telemetry::Spool::open(sampleFile(folder, launch.epoch)));
    const auto file = eventFile(folder, launch.epoch);
    Fd events(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644));
    if (!events.valid()) return makeError("F602", {{"file", file.string()}, {"reason", systemText(errno)}});
    std::unique_ptr<AgentRun> run(new AgentRun(launch, std::move(spool), std::move(events)));
    for (std::size_t i = 0; i < launch.ranks.size(); ++i) {
        // On error the destructor ends the ranks that already run.
        LS_TRY_ASSIGN(auto process, RankProcess::start(std::move(launch.ranks[i]), std::move(sockets[i])));
        run->m_ranks.push_back(std::move(process));
        wire::RunEvent event;
        event.kind = wire::RunEventKind::Started;
        event.pid = run->m_ranks.back()->pid();
        run->add(event, *run->m_ranks.back());
    }
    return run;
}

AgentRun::~AgentRun() {
    kill(SIGKILL, {});
    for (const auto& rank : m_ranks) {
        if (rank->exited()) continue;
        pollfd wait{rank->exitFd(), POLLIN, 0};
        ::poll(&wait, 1, Deadline::in(Seconds(2)).pollTimeout());
        if (wait.revents != 0) rank->reap();
    }
}

int AgentRun::liveRanks() const {
    return static_cast<int>(std::ranges::count_if(m_ranks, [](const auto& rank) { return !rank->exited(); }));
}

void AgentRun::add(wire::RunEvent event, const RankProcess& rank) {
    event.number = m_events.size();
    event.time = unixSeconds();
    event.rank = rank.rank();
    // A phase and a checkpoint tell their own step; until they are read here the rank may have gone on.
    const bool ownStep = event.kind == wire::RunEventKind::Phase || event.kind == wire::RunEventKind::Checkpoint;
    if (!ownStep) event.step = rank.step();
    m_events.push_back(wire::toJson(event));
    const std::string line = m_events.back() + "\n";
    const auto written = writeAll(m_eventFile.get(), std::as_bytes(std::span(line.data(), line.size())), eventFile(m_spoolFolder, m_epoch));
    if (!written.ok()) log(LogLevel::Error, written.error().message);
}

void AgentRun::onSocket(RankProcess& rank, Time now) {
    for (const auto& message : rank.receive(now)) {
        wire::RunEvent event;
        if (const auto* phase = std::get_if<wire::RankPhase>(&message)) {
            event.kind = wire::RunEventKind::Phase;
            event.text = phase->name;
            event.step = phase->step;
            keep(rank.usage(unixSeconds(), now));  // short runs would have no point else
        } else if (const auto* checkpoint = std::get_if<wire::RankCheckpoint>(&message)) {
            event.kind = wire::RunEventKind::Checkpoint;
            event.step = checkpoint->step;
            event.text = checkpoint->id;
        } else if (const auto* warning = std::get_if<wire::RankWarning>(&message)) {
            event.kind = wire::RunEventKind::Warning;
            event.error = warning->error;
        } else {
            continue;
        }
        add(event, rank);
    }
}

void AgentRun::keep(std::span<const telemetry::Sample> samples) {
    if (samples.empty()) return;
    const auto kept = m_spool.append(samples);
    if (!kept.ok() && !m_diskFull) log(LogLevel::Error, kept.error().message);
    m_diskFull = !kept.ok();
}

void AgentRun::drain(RankProcess& rank, Time now) {
    for (;;) {
        const auto samples = rank.ring().peek();
        if (samples.empty()) return;
        keep(samples);
        if (m_diskFull) return;  // they stay in the ring, which drops and counts what is newer
        std::uint64_t newest = 0;
        for (const auto& sample : samples)
            if (sample.rank == rank.rank()) newest = std::max(newest, sample.step);
        rank.ring().release(samples.size());
        if (newest > rank.step() && !rank.exited()) rank.sawStep(newest, now);
    }
}

void AgentRun::onExit(RankProcess& rank, Time now) {
    keep(rank.usage(unixSeconds(), now));
    const auto how = rank.reap();
    onSocket(rank, now);
    drain(rank, now);
    if (const auto synced = m_spool.sync(); !synced.ok()) log(LogLevel::Error, synced.error().message);
    wire::RunEvent event;
    event.kind = wire::RunEventKind::Exited;
    event.pid = rank.pid();
    event.exitCode = how.code;
    event.signal = how.signal;
    event.done = rank.done();
    event.error = rank.error();
    if (how.outOfMemory && !event.error) event.error = endedByKernel(rank);
    add(event, rank);
    ::fdatasync(m_eventFile.get());
    // Ranks that were killed before all had joined leave the name of their meeting place behind.
    if (finished()) ::shm_unlink(sharedMemoryName(RunId{m_run}, m_epoch).c_str());
}

void AgentRun::checkStall(RankProcess& rank, Time now) {
    const Pulse pulse = rank.watch().check(now);
    if ((pulse != Pulse::Fine) == rank.stalled()) return;
    rank.setStalled(pulse != Pulse::Fine);
    wire::RunEvent event;
    event.kind = pulse == Pulse::Fine ? wire::RunEventKind::Recovered : wire::RunEventKind::Stalled;
    event.silent = pulse == Pulse::Silent;
    event.late = rank.late();
    event.seconds = rank.watch().still(now).count();
    add(event, rank);
}

void AgentRun::tick(Time now) {
    const bool beat = now - m_lastBeat >= std::min(kBeat, m_lease / kBeatsPerLease);
    const bool usage = now - m_lastUsage >= kUsage;
    for (const auto& rank : m_ranks) {
        if (rank->exited()) continue;
        drain(*rank, now);
        if (beat) rank->send(wire::LeaseBeat{});
        if (usage) keep(rank->usage(unixSeconds(), now));
        if (usage) rank->countKills(now);
        checkStall(*rank, now);
    }
    if (beat) m_lastBeat = now;
    if (usage) {
        m_lastUsage = now;
        if (const auto synced = m_spool.sync(); !synced.ok()) log(LogLevel::Error, synced.error().message);
    }
}

std::vector<RankProcess*> AgentRun::chosen(const std::vector<int>& ranks) {
    std::vector<RankProcess*> all;
    for (const auto& rank : m_ranks)
        if (!rank->exited() && (ranks.empty() || std::ranges::find(ranks, rank->rank()) != ranks.end())) all.push_back(rank.get());
    return all;
}

void AgentRun::command(const wire::RankCommand& command, const std::vector<int>& ranks) {
    for (auto* rank : chosen(ranks)) rank->send(command);
}

void AgentRun::kill(int signal, const std::vector<int>& ranks) {
    for (auto* rank : chosen(ranks)) rank->kill(signal);
}

}  // namespace lockstep::control
