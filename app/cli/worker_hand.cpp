// A task started by hand with TF_CONFIG, as TensorFlow's tasks are: it finds the others at their addresses, trains, and task 0 keeps
// the run.
#include "worker.h"

#include "output.h"
#include "rank_memory.h"
#include "rank_setup.h"
#include "signals.h"

#include <control/data_facts.h>
#include <control/hand_run.h>
#include <control/keras_model.h>

#include <base/checksum.h>
#include <base/ids.h>
#include <base/log.h>
#include <base/thread.h>
#include <cluster/inventory.h>
#include <comm/endpoint.h>
#include <comm/key.h>
#include <comm/streams.h>
#include <spec/tf_config.h>

#include <fcntl.h>
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
    control::anchorData(task.spec, options.file);
    // Tasks meet at their addresses; nothing else is known of the others.
    task.spec.distribution.transport = "tcp";
    task.spec.cluster.hosts.clear();
    task.spec.cluster.tfConfig = spec::printTfConfig(config.cluster, {"worker", 0});
    auto here = cluster::probeThisHost();
    here.address = "localhost";
    spec::RunSpec resolved = task.spec;
    LS_TRY(control::resolveModel(resolved));
    LS_TRY_ASSIGN(const auto facts, control::readDataFacts(resolved));
    LS_TRY_ASSIGN(task.plan, plan::makePlan(resolved, {{here}}, "", facts, makeSizer(options.reference)));
    LS_TRY_ASSIGN(task.rank, findRank(task.plan, mine));
    task.meeting = toHex(sha256(asBytes(*task.spec.cluster.tfConfig + "\n" + spec::specHash(resolved))));
    return task;
}

const std::string& addressOf(const plan::Plan& plan, const plan::Rank& rank) {
    return plan.tasks.at(static_cast<std::size_t>(rank.task)).address;
}

// There is no run and no log yet, and nobody but the person has started the others.
Error whenNotMet(Error error, const HandTask& task) {
    if (error.code == "R501")
        error.next = "See what its terminal says; a task is started with the same TF_CONFIG but its own index: lockstep worker SPEC.";
    if (error.code == "N404") error.next = "Start all tasks with the same specification, the same cluster in TF_CONFIG and the same key.";
    std::string where;
    for (const auto& rank : task.plan.ranks)
        where += (where.empty() ? "rank " : ", rank ") + std::to_string(rank.rank) + " at " + addressOf(task.plan, rank);
    return withContext(std::move(error), "meeting the tasks of TF_CONFIG: " + where);
}

// `listener`: of this rank, shared with what comes after.
Result<std::unique_ptr<comm::Group>> meet(const HandTask& task, const Fd& listener) {
    JoinOptions join;
    join.rank = task.rank;
    join.run = task.meeting;
    LS_TRY_ASSIGN(join.key, comm::loadOrMakeKey());
    join.deadline = Deadline::in(kJoinDeadline);
    if (listener.valid()) join.listenFd = ::fcntl(listener.get(), F_DUPFD_CLOEXEC, 0);
    auto group = joinGroup(task.plan, join);
    if (!group.ok()) return whenNotMet(std::move(group).error(), task);
    return group;
}

// The streams on which the other tasks tell task 0 what they do.
Result<std::vector<Fd>> openStreams(const HandTask& task, const RunId& run, Fd listener) {
    comm::TcpOptions options;
    options.rank = task.rank;
    options.size = static_cast<int>(task.plan.ranks.size());
    options.run = task.meeting + " " + run.value;
    LS_TRY_ASSIGN(options.key, comm::loadOrMakeKey());
    for (const auto& rank : task.plan.ranks) options.addresses.push_back(addressOf(task.plan, rank));
    options.listenFd = listener.release();
    return comm::joinStreams(options);
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

train::RankHooks makeHooks(control::HandEar& ear, Interrupts& interrupts, Output& output) {
    train::RankHooks hooks;
    hooks.stop = &interrupts.stop();
    hooks.checkpointNow = &interrupts.checkpoint();
    hooks.sample = [&ear](const telemetry::Sample& sample) { ear.sample(sample); };
    hooks.progress = [&ear](std::uint64_t step) { ear.progress(step); };
    hooks.phase = [&ear](const std::string& phase) { ear.line(LogLevel::Info, "begins: " + phase); };
    hooks.checkpointed = [&ear](std::uint64_t step, const std::string& id) {
        ear.checkpointed(step, id);
        ear.line(LogLevel::Info, "checkpoint " + id + " at step " + std::to_string(step));
    };
    hooks.warning = [&ear, &output](const Error& warning) {
        output.warning(warning);
        ear.warning(warning);
        ear.line(LogLevel::Warning, warning.toText());
    };
    return hooks;
}

void report(Output& output, const RunId& run, int rank, const wire::RankDone& done, const control::FlowResult* kept) {
    // On one terminal the note at the start has said it.
    const auto& terminal = output.options().terminal;
    const bool said = terminal.stdoutIsTerminal && terminal.stderrIsTerminal && !output.options().quiet;
    output.line((said ? "" : "run " + run.value + "\n") + "rank " + std::to_string(rank) + (done.stopped ? " stopped" : " completed") +
                " at step " + std::to_string(done.steps) + "\nweights " + done.weightsHash);
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

// What a task tells of its training: kept here by task 0, sent there by the others.
struct Telling {
    std::unique_ptr<control::HandRun> run;
    std::unique_ptr<control::HandReport> report;
    control::HandEar& ear() const { return run ? static_cast<control::HandEar&>(*run) : *report; }
};

Result<Telling> beginTelling(const HandOptions& options, HandTask& task, const RunId& id, std::vector<Fd> streams, Interrupts& interrupts) {
    Telling telling;
    if (task.rank != 0) {
        LS_TRY_ASSIGN(telling.report, control::HandReport::open(std::move(streams.front()), task.rank));
        return telling;
    }
    task.plan.run = id.value;
    LS_TRY_ASSIGN(telling.run, control::HandRun::open(options.project, id, task.spec, task.plan,
                                                      {interrupts.stop(), interrupts.checkpoint()}, std::move(streams)));
    interrupts.keep(telling.run.get());
    return telling;
}

Result<wire::RankDone> trainHere(const HandTask& task, bool reference, comm::Group& group, const Telling& telling, Interrupts& interrupts,
                                 Output& output) {
    LS_TRY_ASSIGN(auto setup, makeRankSetup(task.spec, task.plan, task.rank, control::dataFolder(task.spec)));
    if (telling.run) placeFiles(setup.options, telling.run->folder().path(), telling.run->folder().checkpoints());
    telling.ear().running(setup.steps);
    guardMemory(setup.options, task.spec, task.plan);
    const auto executor = makeExecutor(reference);
    LastWord last(task.plan, task.rank, [](const Error& error) { log(LogLevel::Error, error.toText()); });
    last.during("while it trained");
    const auto trained = [&]() -> Result<train::RankResult> {
        try {
            return train::runRank(setup.options, *executor, group, makeHooks(telling.ear(), interrupts, output));
        } catch (...) {
            if (isLackOfMemory(std::current_exception())) return last.error();
            throw;
        }
    }();
    if (!trained.ok()) return trained.error();
    const train::RankResult& result = *trained;
    telling.ear().line(LogLevel::Info, (result.stopped ? "stopped at step " : "done at step ") + std::to_string(result.steps) +
                                           ", weights " + result.weightsHash);
    return toDone(result);
}

// Rank 0 listens once for all that others have to say to it.
Result<Fd> listenIfFirst(const HandTask& task) {
    if (task.rank != 0 || task.plan.ranks.size() == 1) return Fd();
    LS_TRY_ASSIGN(const auto endpoint, comm::parseEndpoint(addressOf(task.plan, task.plan.ranks.front())));
    LS_TRY_ASSIGN(auto listener, comm::listenAt(endpoint));
    return std::move(listener.socket);
}

}  // namespace

Result<int> runTaskByHand(const HandOptions& options, Output& output) {
    // A reader of our output that goes away must not end the training.
    std::signal(SIGPIPE, SIG_IGN);
    LS_TRY_ASSIGN(auto task, prepare(options));
    Interrupts interrupts(output);
    pinThisThread(task.plan.ranks.at(static_cast<std::size_t>(task.rank)).cores);
    LS_TRY_ASSIGN(auto listener, listenIfFirst(task));
    output.note("rank " + std::to_string(task.rank) + " of " + std::to_string(task.plan.ranks.size()) + ": waiting for the others");
    LS_TRY_ASSIGN(const auto group, meet(task, listener));
    LS_TRY_ASSIGN(const auto id, agreeOnRun(*group, task.rank));
    LS_TRY_ASSIGN(auto streams, openStreams(task, id, std::move(listener)));
    interrupts.met();
    output.note("run " + id.value);
    LS_TRY_ASSIGN(const auto telling, beginTelling(options, task, id, std::move(streams), interrupts));
    const auto done = trainHere(task, options.reference, *group, telling, interrupts, output);
    std::optional<control::FlowResult> kept;
    if (telling.report) telling.report->finish(done);
    if (telling.run) kept = telling.run->finish(done);
    interrupts.keep(nullptr);
    if (kept && kept->error) return *kept->error;
    if (!done.ok()) return done.error();
    report(output, id, task.rank, *done, kept ? &*kept : nullptr);
    if (!done->stopped) return 0;
    return done->endedBy.empty() ? interrupts.exitCode() : control::kRuleExit;
}

}  // namespace lockstep::cli
