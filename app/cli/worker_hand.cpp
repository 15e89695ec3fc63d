// A task started by hand with TF_CONFIG, as TensorFlow's tasks are: it finds the others at their addresses, trains, and task 0 keeps
// the run.
#include "worker.h"

#include "output.h"
#include "rank_setup.h"
#include "signals.h"

#include <control/hand_run.h>

#include <base/checksum.h>
#include <base/ids.h>
#include <base/log.h>
#include <base/paths.h>
#include <base/thread.h>
#include <cluster/inventory.h>
#include <comm/endpoint.h>
#include <comm/key.h>
#include <spec/tf_config.h>

#include <unistd.h>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <mutex>

namespace lockstep::cli {
namespace {

constexpr Seconds kJoinDeadline{300};  // people start the tasks one after another
constexpr std::size_t kRunIdBytes = 20;
constexpr int kSignalExit = 128;  // plus the signal

struct HandTask {
    spec::RunSpec spec;
    plan::Plan plan;
    int rank = 0;
    std::string meeting;  // what all tasks of this cluster and specification agree on
};

Result<spec::TfConfig> readTfConfig() {
    const char* text = std::getenv("TF_CONFIG");
    if (text == nullptr || text[0] == '\0')
        return makeError("X002", {{"what", "TF_CONFIG is not set"}, {"help", "lockstep worker --help"}});
    LS_TRY_ASSIGN(auto config, spec::parseTfConfig(text));
    if (config.task && config.task->type != "worker" && config.task->type != "chief")
        return makeError("X009", {{"what", "A task of type " + config.task->type},
                                  {"why", "Tasks by hand are of type worker or chief."},
                                  {"next", "Leave it out of the cluster."}});
    return config;
}

// Which rank of the plan this task is.
Result<int> findRank(const plan::Plan& plan, const spec::TfTask& task) {
    for (const auto& rank : plan.ranks) {
        const auto& owner = plan.tasks.at(static_cast<std::size_t>(rank.task));
        if (owner.type == task.type && owner.index == task.index) return rank.rank;
    }
    return makeError("X001", {{"what", "the plan has no rank for " + task.type + " " + std::to_string(task.index)}});
}

Result<HandTask> prepare(const HandOptions& options) {
    LS_TRY_ASSIGN(const auto config, readTfConfig());
    HandTask task;
    LS_TRY_ASSIGN(task.spec, spec::loadRunSpec(options.file, options.overrides));
    const spec::TfTask mine = config.task.value_or(spec::TfTask{"worker", 0});
    if (task.spec.strategy != spec::Strategy::MultiWorkerMirrored)
        return makeError("X009", {{"what", "Strategy " + std::string(spec::nameOf(task.spec.strategy)) + " with TF_CONFIG"},
                                  {"why", "Only MultiWorkerMirroredStrategy spreads over tasks."},
                                  {"next", "Set strategy: MultiWorkerMirroredStrategy, or use lockstep run."}});
    // Tasks meet at their addresses; nothing else is known of the others.
    task.spec.distribution.transport = "tcp";
    task.spec.cluster.hosts.clear();
    task.spec.cluster.tfConfig = spec::printTfConfig(config.cluster, {"worker", 0});
    auto here = cluster::probeThisHost();
    here.address = "localhost";
    LS_TRY_ASSIGN(task.plan, plan::makePlan(task.spec, {{here}}, ""));
    LS_TRY_ASSIGN(task.rank, findRank(task.plan, mine));
    task.meeting = toHex(sha256(asBytes(*task.spec.cluster.tfConfig + "\n" + spec::specHash(task.spec))));
    return task;
}

Result<std::unique_ptr<comm::Group>> meet(const HandTask& task) {
    JoinOptions join;
    join.rank = task.rank;
    join.run = task.meeting;
    LS_TRY_ASSIGN(join.key, comm::loadOrMakeKey());
    join.deadline = Deadline::in(kJoinDeadline);
    auto group = joinGroup(task.plan, join);
    if (group.ok()) return group;
    std::string where;
    for (const auto& rank : task.plan.ranks)
        where += (where.empty() ? "rank " : ", rank ") + std::to_string(rank.rank) + " at " +
                 task.plan.tasks.at(static_cast<std::size_t>(rank.task)).address;
    return withContext(std::move(group).error(), "meeting the tasks of TF_CONFIG: " + where);
}

// Rank 0 chooses the run's id; all hear it.
Result<RunId> agreeOnRun(comm::Group& group, int rank) {
    std::string id = rank == 0 ? newRunId().value : std::string(kRunIdBytes, '\0');
    LS_TRY(group.broadcast({std::as_writable_bytes(std::span(id.data(), id.size())), 0, Deadline::in(Seconds(60))}));
    if (!isRunId(id)) return makeError("N411", {{"reason", "rank 0 announced no run id"}});
    return RunId{id};
}

// Ctrl+C, SIGTERM and SIGHUP. While the task waits for the others there is nothing to keep: the first ends it. Later the first stops with
// a checkpoint, the second ends at once.
class Interrupts {
public:
    explicit Interrupts(Output& output) : m_output(output), m_signals({SIGINT, SIGTERM, SIGHUP}, [this](int signal) { step(signal); }) {}

    void met() { m_met = true; }
    // The run that must hear of a sudden end; null when it has ended.
    void keep(control::HandRun* run) {
        const std::scoped_lock lock(m_mutex);
        m_run = run;
    }
    std::atomic<bool>& stop() { return m_stop; }
    std::atomic<bool>& checkpoint() { return m_checkpoint; }
    int exitCode() const { return kSignalExit + m_signals.taken().value_or(SIGINT); }

private:
    void step(int signal) {
        if (!m_met) {
            m_output.note("Ended before the others came; nothing is kept.");
            ::_exit(kSignalExit + signal);
        }
        if (!m_stop.exchange(true)) {
            m_output.note("Stopping: writing a checkpoint first. The second signal ends this task at once.");
            return;
        }
        const std::scoped_lock lock(m_mutex);
        if (m_run != nullptr) m_run->abandon("keyboard");
        ::_exit(kSignalExit + signal);
    }

    Output& m_output;
    std::atomic<bool> m_stop{false};
    std::atomic<bool> m_checkpoint{false};
    std::atomic<bool> m_met{false};
    std::mutex m_mutex;
    control::HandRun* m_run = nullptr;
    SignalWatch m_signals;  // last: ends before what its callback uses
};

train::RankHooks makeHooks(control::HandRun* run, Interrupts& interrupts, Output& output) {
    train::RankHooks hooks;
    hooks.stop = &interrupts.stop();
    hooks.checkpointNow = &interrupts.checkpoint();
    hooks.warning = [run, &output](const Error& warning) {
        output.warning(warning);
        if (run != nullptr) run->event({unixSeconds(), "warning", 0, 0, warning.message, ""});
    };
    if (run == nullptr) return hooks;
    hooks.sample = [run](const telemetry::Sample& sample) { run->sample(sample); };
    hooks.progress = [run](std::uint64_t step) { run->progress(step); };
    hooks.checkpointed = [run](std::uint64_t step, const std::string& id) {
        run->event({unixSeconds(), "checkpoint", 0, step, "Checkpoint " + id + " at step " + std::to_string(step), ""});
    };
    return hooks;
}

void report(Output& output, const RunId& run, int rank, const wire::RankDone& done, const control::FlowResult* kept) {
    output.line("run " + run.value + "\nrank " + std::to_string(rank) + (done.stopped ? " stopped" : " completed") + " at step " +
                std::to_string(done.steps) + "\nweights " + done.weightsHash);
    if (kept != nullptr) {
        output.jsonText(control::toJson(*kept));
        return;
    }
    output.json({{"schema", 1},
                 {"run", run.value},
                 {"rank", rank},
                 {"state", done.stopped ? "stopped" : "completed"},
                 {"steps", done.steps},
                 {"weights_hash", done.weightsHash}});
}

Result<wire::RankDone> trainHere(const HandTask& task, bool reference, comm::Group& group, control::HandRun* run, Interrupts& interrupts,
                                 Output& output) {
    const auto folder = task.spec.data.path.value_or(resourcesFolder() / "data" / task.spec.data.dataset);
    LS_TRY_ASSIGN(auto setup, makeRankSetup(task.spec, task.plan, task.rank, folder));
    if (run != nullptr) {
        setup.options.checkpoint.folder = run->folder().checkpoints();
        run->running(setup.steps);
    }
    const auto executor = makeExecutor(reference);
    LS_TRY_ASSIGN(const auto result, train::runRank(setup.options, *executor, group, makeHooks(run, interrupts, output)));
    return toDone(result);
}

}  // namespace

Result<int> runTaskByHand(const HandOptions& options, Output& output) {
    // A reader of our output that goes away must not end the training.
    std::signal(SIGPIPE, SIG_IGN);
    LS_TRY_ASSIGN(auto task, prepare(options));
    Interrupts interrupts(output);
    pinThisThread(task.plan.ranks.at(static_cast<std::size_t>(task.rank)).cores);
    output.note("rank " + std::to_string(task.rank) + " of " + std::to_string(task.plan.ranks.size()) + ": waiting for the others");
    LS_TRY_ASSIGN(const auto group, meet(task));
    LS_TRY_ASSIGN(const auto id, agreeOnRun(*group, task.rank));
    interrupts.met();
    output.note("run " + id.value);
    std::unique_ptr<control::HandRun> run;
    if (task.rank == 0) {
        task.plan.run = id.value;
        LS_TRY_ASSIGN(run, control::HandRun::open(options.project, id, task.spec, task.plan, {interrupts.stop(), interrupts.checkpoint()}));
        interrupts.keep(run.get());
    }
    const auto done = trainHere(task, options.reference, *group, run.get(), interrupts, output);
    interrupts.keep(nullptr);
    std::optional<control::FlowResult> kept;
    if (run) kept = run->finish(done);
    if (!done.ok()) return done.error();
    report(output, id, task.rank, *done, kept ? &*kept : nullptr);
    return done->stopped ? interrupts.exitCode() : 0;
}

}  // namespace lockstep::cli
