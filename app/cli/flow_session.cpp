#include "flow_session.h"

#include "flow_listener.h"
#include "flow_result.h"
#include "rank_memory.h"
#include "signals.h"

#include <base/log.h>

#include <csignal>
#include <stop_token>

namespace lockstep::cli {
namespace {

constexpr int kExitInterrupted = 130;

// First signal: checkpoint and stop. Second: end the ranks at once.
class StopLadder {
public:
    explicit StopLadder(Output& output) : m_output(output), m_signals({SIGINT, SIGTERM, SIGHUP}, [this](int signal) { step(signal); }) {}

    std::stop_token stop() const { return m_stop.get_token(); }
    std::stop_token kill() const { return m_kill.get_token(); }
    // 128 + the first signal.
    std::optional<int> exitCode() const {
        const auto signal = m_signals.taken();
        return signal ? std::optional(128 + *signal) : std::nullopt;
    }

private:
    void step(int signal) {
        const bool keyboard = signal == SIGINT;
        if (!m_stop.stop_requested()) {
            m_output.note(keyboard ? "Stopping: writing a checkpoint first. Press Ctrl+C again to end the ranks at once."
                                   : "Asked to end: writing a checkpoint first.");
            m_stop.request_stop();
        } else if (!m_kill.stop_requested()) {
            m_output.note("Ending the ranks at once; the last checkpoint is kept.");
            m_kill.request_stop();
        }
    }

    Output& m_output;
    std::stop_source m_stop;
    std::stop_source m_kill;
    SignalWatch m_signals;  // last: ends before what its callback uses
};

void prepareLog(const Output& output, ControllerFace face) {
    setLogName("controller");
    // In front of a person stderr is no log file; warnings and events are told by the listener.
    if (face == ControllerFace::Foreground && output.options().verbosity == 0) setLogLevel(LogLevel::Error);
}

}  // namespace

void DetachedOptions::declare(CLI::App& parser) {
    parser.add_option("--report-fd", reportFd)->group("");
    parser.add_option("--spec-fd", specFd)->group("");
}

Result<int> runInThisProcess(Context& context, control::FlowOptions flow, const DetachedOptions& detached, bool profile) {
    // A reader of our output that goes away must not end the training.
    std::signal(SIGPIPE, SIG_IGN);
    StopLadder ladder(context.output);
    const auto face = detached.face();
    prepareLog(context.output, face);
    FlowListener listener(context.output, face, workbench::ControllerReport(Fd(detached.reportFd)), profile);
    flow.listener = &listener;
    flow.sizer = makeSizer(flow.executor == control::RankExecutor::Reference);
    flow.stop = ladder.stop();
    flow.kill = ladder.kill();
    const auto result = control::runFlow(flow);
    listener.finish();
    if (!result.ok()) {
        listener.report(result.error());
        return result.error();
    }
    if (result->error) listener.report(*result->error);
    printResult(context.output, *result);
    // The flow knows that it was stopped from here, not by which signal.
    if (result->exitCode == kExitInterrupted) return ladder.exitCode().value_or(kExitInterrupted);
    return result->exitCode;
}

}  // namespace lockstep::cli
