#include "agent_core.h"

#include <base/thread.h>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <algorithm>
#include <csignal>

namespace lockstep::control {
namespace {

using namespace std::chrono_literals;

constexpr auto kTick = 20ms;  // while ranks live
constexpr auto kIdleTick = 500ms;

}  // namespace

AgentCore::AgentCore() : m_lastUse(std::chrono::steady_clock::now()), m_wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    m_loop = startThread("agent-loop", [this](std::stop_token stop) { loop(stop); });
}

AgentCore::~AgentCore() {
    m_loop.request_stop();
    wake();
}

void AgentCore::wake() {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(m_wake.get(), &one, sizeof one);
}

void AgentCore::touch(int change) {
    const std::scoped_lock lock(m_mutex);
    m_busy += change;
    m_lastUse = std::chrono::steady_clock::now();
}

void AgentCore::loop(std::stop_token stop) {
    while (!stop.stop_requested()) {
        std::vector<pollfd> waits{{m_wake.get(), POLLIN, 0}};
        bool live = false;
        {
            const std::scoped_lock lock(m_mutex);
            for (const auto& [id, run] : m_runs)
                for (const auto& rank : run->ranks()) {
                    if (rank->exited()) continue;
                    live = true;
                    waits.push_back({rank->exitFd(), POLLIN, 0});
                    waits.push_back({rank->socketFd(), POLLIN, 0});
                }
        }
        ::poll(waits.data(), waits.size(), static_cast<int>(std::chrono::milliseconds(live ? kTick : kIdleTick).count()));
        std::uint64_t count = 0;
        [[maybe_unused]] const auto drained = ::read(m_wake.get(), &count, sizeof count);

        const std::scoped_lock lock(m_mutex);
        const Time now = std::chrono::steady_clock::now();
        const auto ready = [&](int fd) {
            return std::ranges::any_of(waits, [fd](const pollfd& wait) { return wait.fd == fd && wait.revents != 0; });
        };
        for (const auto& [id, run] : m_runs) {
            for (const auto& rank : run->ranks()) {
                if (rank->exited()) continue;
                if (rank->socketFd() >= 0 && ready(rank->socketFd())) run->onSocket(*rank, now);
                if (ready(rank->exitFd())) run->onExit(*rank, now);
            }
            if (!run->finished()) {
                run->tick(now);
                m_lastUse = now;
            }
        }
        if (live) m_changed.notify_all();
    }
}

Result<void> AgentCore::start(RunLaunch launch) {
    const std::scoped_lock lock(m_mutex);
    if (const auto found = m_runs.find(launch.run); found != m_runs.end()) {
        if (found->second->liveRanks() > 0)
            return makeError("R537", {{"run", launch.run}, {"count", std::to_string(found->second->liveRanks())}});
        m_runs.erase(found);
    }
    const std::string id = launch.run;
    LS_TRY_ASSIGN(auto run, AgentRun::start(std::move(launch)));
    m_runs[id] = std::move(run);
    m_lastUse = std::chrono::steady_clock::now();
    wake();
    return {};
}

Result<AgentRun*> AgentCore::find(const std::string& run, std::uint64_t epoch) {
    const auto found = m_runs.find(run);
    if (found != m_runs.end() && found->second->epoch() == epoch) return found->second.get();
    return makeError("R538", {{"run", run}, {"epoch", std::to_string(epoch)}});
}

Result<RunNews> AgentCore::news(const std::string& run, std::uint64_t epoch, std::uint64_t fromEvent, std::uint64_t position,
                                Deadline deadline) {
    std::unique_lock lock(m_mutex);
    LS_TRY(find(run, epoch));
    const auto isNews = [&] {
        const auto here = find(run, epoch);
        return !here.ok() || (*here)->events().size() > fromEvent || (*here)->position() > position || (*here)->finished();
    };
    m_changed.wait_until(lock, deadline.at(), isNews);
    LS_TRY_ASSIGN(const AgentRun* here, find(run, epoch));
    RunNews news;
    const auto& events = here->events();
    news.events.assign(events.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(fromEvent, events.size())), events.end());
    news.nextEvent = events.size();
    news.samples = here->samples();
    news.position = here->position();
    news.finished = here->finished();
    for (const auto& rank : here->ranks()) news.ranks.push_back({rank->rank(), rank->pid(), rank->step(), rank->steps(), rank->phase()});
    return news;
}

Result<void> AgentCore::command(const std::string& run, std::uint64_t epoch, const wire::RankCommand& command,
                                const std::vector<int>& ranks) {
    const std::scoped_lock lock(m_mutex);
    LS_TRY_ASSIGN(auto* here, find(run, epoch));
    here->command(command, ranks);
    return {};
}

Result<void> AgentCore::kill(const std::string& run, std::uint64_t epoch, int signal, const std::vector<int>& ranks) {
    const std::scoped_lock lock(m_mutex);
    LS_TRY_ASSIGN(auto* here, find(run, epoch));
    here->kill(signal, ranks);
    return {};
}

void AgentCore::release(const std::string& run) {
    const std::scoped_lock lock(m_mutex);
    m_runs.erase(run);
    m_lastUse = std::chrono::steady_clock::now();
    m_changed.notify_all();
}

RunKnown AgentCore::known(const std::string& run) {
    const std::scoped_lock lock(m_mutex);
    const auto found = m_runs.find(run);
    if (found == m_runs.end()) return {};
    return {true, found->second->epoch(), found->second->liveRanks()};
}

int AgentCore::runs() {
    const std::scoped_lock lock(m_mutex);
    return static_cast<int>(m_runs.size());
}

Seconds AgentCore::idle() {
    const std::scoped_lock lock(m_mutex);
    return m_busy > 0 ? Seconds(0) : Seconds(std::chrono::steady_clock::now() - m_lastUse);
}

}  // namespace lockstep::control
