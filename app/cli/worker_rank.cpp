// One rank of a run: its agent's words in, training, its own words out.
#include "worker.h"

#include "profile.h"
#include "rank_memory.h"
#include "rank_setup.h"

#include <control/rank_channel.h>
#include <control/run_folder.h>

#include <base/file.h>
#include <base/log.h>
#include <base/thread.h>
#include <telemetry/ring.h>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#include <cerrno>
#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

namespace lockstep::cli {
namespace {

constexpr Seconds kAssignmentDeadline{20};

// A rank whose agent was killed lives on until its lease ends; the next attempt's rank of the same number waits for it here, so that
// never two of them write.
Result<Fd> takePlace(const control::RunFolder& folder, int rank, Deadline deadline) {
    const auto file = folder.spool() / ("rank-" + std::to_string(rank) + ".lock");
    Fd fd(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!fd.valid()) return makeError("F602", {{"file", file.string()}, {"reason", systemText(errno)}});
    while (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
        if (deadline.passed()) {
            const auto pid = readFile(file, 64);
            return makeError("R541", {{"rank", std::to_string(rank)}, {"pid", pid.ok() ? *pid : "unknown"}});
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    const auto pid = std::to_string(::getpid());
    if (::ftruncate(fd.get(), 0) != 0) return makeError("F604", {{"file", file.string()}, {"reason", systemText(errno)}});
    LS_TRY(writeAll(fd.get(), std::as_bytes(std::span(pid.data(), pid.size())), file));
    return fd;
}

// The group as the channel's thread sees it: there only while the training uses it.
class SharedGroup {
public:
    class Use {
    public:
        Use(SharedGroup& shared, comm::Group& group) : m_shared(shared) { m_shared.set(&group); }
        ~Use() { m_shared.set(nullptr); }
        Use(const Use&) = delete;
        Use& operator=(const Use&) = delete;

    private:
        SharedGroup& m_shared;
    };

    void abort(const Error& why) {
        const std::scoped_lock lock(m_mutex);
        if (m_group != nullptr) m_group->abort(why);
    }
    std::vector<int> late() {
        const std::scoped_lock lock(m_mutex);
        return m_group != nullptr ? m_group->info().late : std::vector<int>();
    }

private:
    void set(comm::Group* group) {
        const std::scoped_lock lock(m_mutex);
        m_group = group;
    }
    std::mutex m_mutex;
    comm::Group* m_group = nullptr;
};

train::RankHooks makeHooks(control::RankChannel& channel, telemetry::Ring& ring) {
    train::RankHooks hooks;
    hooks.sample = [&ring](const telemetry::Sample& sample) { ring.push(sample); };
    hooks.progress = [&channel](std::uint64_t step) { channel.progress(step); };
    hooks.phase = [&channel](const std::string& phase) { channel.phase(phase); };
    hooks.checkpointed = [&channel](std::uint64_t step, const std::string& id) { channel.checkpointed(step, id); };
    hooks.warning = [&channel](const Error& warning) {
        log(LogLevel::Warning, warning.toText());
        channel.warning(warning);
    };
    hooks.stop = &channel.stopFlag();
    hooks.checkpointNow = &channel.checkpointFlag();
    return hooks;
}

struct Work {
    const spec::RunSpec& spec;
    const plan::Plan& plan;
    const control::RunFolder& folder;
};

Result<train::RankResult> trainJoined(control::RankChannel& channel, const Work& work, comm::Group& group, SharedGroup& shared,
                                      telemetry::Ring& ring, LastWord& last) {
    const auto& task = channel.assignment();
    LS_TRY_ASSIGN(auto setup, makeRankSetup(work.spec, work.plan, task.rank, task.dataFolder));
    placeFiles(setup.options, work.folder.path(), work.folder.checkpoints());
    setup.options.resume = task.resume;
    channel.expect(setup.steps);
    const auto executor = makeExecutor(task.executor == "ref");
    guardMemory(setup.options, work.spec, work.plan);
    const SharedGroup::Use use(shared, group);
    auto hooks = makeHooks(channel, ring);
    hooks.phase = [&channel, &last](const std::string& name) {
        last.during("in the phase " + name);
        channel.phase(name);
    };
    const auto profile = profileFolder(work.folder.path());
    RankProfiler profiler(profile, task.rank, setup.options.compile.processors);
    setup.options.compile.timeOps = std::filesystem::exists(profile);
    if (setup.options.compile.timeOps) {
        profiler.probe();
        profiler.attach(hooks);
    }
    auto result = train::runRank(setup.options, *executor, group, hooks);
    if (!result.ok() || !setup.options.compile.timeOps) return result;
    if (const auto written = profiler.write(); !written.ok()) hooks.warning(written.error());
    return result;
}

Result<train::RankResult> trainRank(control::RankChannel& channel) {
    const auto& task = channel.assignment();
    const auto deadline = Deadline::in(Seconds(task.joinSeconds));
    LS_TRY_ASSIGN(const auto spec, spec::parseRunSpec(task.spec, "spec.yaml"));
    LS_TRY_ASSIGN(const auto plan, plan::parsePlan(task.plan));
    if (task.rank < 0 || static_cast<std::size_t>(task.rank) >= plan.ranks.size())
        return makeError("N411", {{"reason", "rank " + std::to_string(task.rank) + " is not in the plan"}});
    // <project>/runs/<id>
    const control::RunFolder folder(std::filesystem::path(task.folder).parent_path().parent_path(), RunId{task.run});
    pinThisThread(plan.ranks[static_cast<std::size_t>(task.rank)].cores);
    LS_TRY_ASSIGN(auto ring, telemetry::Ring::attach(Fd(task.ringFd)));

    const auto shared = std::make_shared<SharedGroup>();
    channel.start([shared](const Error& why) { shared->abort(why); }, [shared] { return shared->late(); });
    channel.phase("joining");
    LS_TRY_ASSIGN(const auto place, takePlace(folder, task.rank, deadline));
    JoinOptions join;
    join.rank = task.rank;
    join.run = task.run;
    join.epoch = task.epoch;
    join.key = task.key;
    join.listenFd = task.listenFd;
    join.sharedMemory = control::sharedMemoryName(RunId{task.run}, task.epoch);
    join.deadline = deadline;
    LS_TRY_ASSIGN(const auto group, joinGroup(plan, join));
    channel.phase("joined");
    LastWord last(plan, task.rank, [&channel](const Error& error) {
        channel.failed(error);
        log(LogLevel::Error, error.toText());
    });
    try {
        return trainJoined(channel, {spec, plan, folder}, *group, *shared, ring, last);
    } catch (...) {
        if (isLackOfMemory(std::current_exception())) return last.error();
        throw;
    }
}

}  // namespace

int runRankTask(int fd) {
    auto channel = control::RankChannel::open(Fd(fd), Deadline::in(kAssignmentDeadline));
    if (!channel.ok()) {
        log(LogLevel::Error, channel.error().toText());
        return channel.error().exitCode;
    }
    setLogName("rank " + std::to_string((*channel)->assignment().rank));
    const auto result = trainRank(**channel);
    if (!result.ok()) {
        log(LogLevel::Error, result.error().toText());
        (*channel)->failed(result.error());
        return result.error().exitCode == 0 ? 1 : result.error().exitCode;
    }
    log(LogLevel::Info,
        (result->stopped ? "stopped at step " : "done at step ") + std::to_string(result->steps) + ", weights " + result->weightsHash);
    (*channel)->done(toDone(*result));
    return 0;
}

}  // namespace lockstep::cli
