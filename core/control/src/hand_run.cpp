#include <control/hand_run.h>

#include "control_socket.h"
#include "exit_words.h"
#include "flow_stages.h"
#include "task_streams.h"

#include <base/checksum.h>
#include <base/log.h>
#include <base/thread.h>
#include <telemetry/ring.h>
#include <wire/json_error.h>

#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <iterator>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

namespace lockstep::control {
namespace {

using namespace std::chrono_literals;

constexpr auto kPace = 100ms;
constexpr auto kRanks = 1s;
constexpr Seconds kLastWords{20};          // the others have finished the same step
constexpr Seconds kLastWordsOfFailure{3};  // they may hang

// One line of a rank's log; false when it can't be written.
bool appendLine(const std::filesystem::path& file, std::string_view line) {
    const Fd log(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    return log.valid() && writeAll(log.get(), asBytes(line), file).ok();
}

class Hand final : public HandRun {
public:
    Hand(Asked asked, Planned planned, telemetry::Ring ring, HandOrders orders, std::vector<Fd> tasks)
        : m_asked(std::move(asked)),
          m_planned(std::move(planned)),
          m_ring(std::move(ring)),
          m_orders(orders),
          m_tasks(std::move(tasks)),
          m_socket(m_asked.folder.socket(), m_inbox, m_board) {}

    // Before any other call.
    Result<void> begin() {
        showStatus(store::RunState::Staging);
        if (auto ready = m_socket.open(); !ready.ok()) {
            removeRun(m_asked, std::move(m_planned));
            return ready;
        }
        storeRanks("spawning");
        m_store = startThread("store", [this](std::stop_token stop) { serveUntil(stop); });
        return {};
    }

    const RunFolder& folder() const override { return m_asked.folder; }
    void running(std::uint64_t steps) override {
        m_steps = steps;
        check(m_planned.writer->setMeta("steps", std::to_string(steps)));
        check(m_planned.writer->setState(store::RunState::Running, "started by hand", "user"));
        m_running = true;
    }
    void progress(std::uint64_t step) noexcept override { m_step = step; }
    void sample(const telemetry::Sample& sample) noexcept override { m_ring.push(sample); }
    void checkpointed(std::uint64_t step, const std::string& id) override {
        check(m_planned.writer->addEvent(
            {unixSeconds(), "checkpoint", 0, step, "Checkpoint " + id + " at step " + std::to_string(step), ""}));
    }
    void warning(const Error& warning) override {
        check(m_planned.writer->addEvent({unixSeconds(), "warning", 0, m_step, warning.message, wire::errorToJson(warning)}));
    }
    void line(LogLevel level, std::string_view text) override { keepLine(0, formatLogLine(level, "rank 0", text)); }
    void abandon(const std::string& actor) override {
        check(m_planned.writer->flush());
        check(m_planned.writer->setState(store::RunState::Stopped, "ended at once", actor));
        m_socket.unlink();
    }

    FlowResult finish(const Result<wire::RankDone>& outcome) override {
        const auto deadline = Deadline::in(outcome.ok() ? kLastWords : kLastWordsOfFailure);
        while (!m_othersEnded && !deadline.passed()) std::this_thread::sleep_for(20ms);
        m_store.request_stop();
        m_store.join();
        drain();
        const auto end = judge(outcome);
        storeRanks(!outcome.ok() ? "failed" : outcome->stopped ? "stopped" : "completed");
        if (end.error) line(LogLevel::Error, end.error->toText());
        return conclude(m_asked, m_planned, end);
    }

private:
    void check(const Result<void>& stored) {
        if (!stored.ok()) log(LogLevel::Error, stored.error().message);
    }
    void keepLine(int rank, std::string_view line) {
        if (!appendLine(m_asked.folder.log(rank), line)) log(LogLevel::Error, line);
    }
    void drain() {
        const auto samples = m_ring.drain();
        auto news = m_tasks.receive();
        auto batches = telemetry::toBatches(samples);
        std::ranges::move(news.batches, std::back_inserter(batches));
        if (!batches.empty()) check(m_planned.writer->append(batches, "", 0));
        for (const auto& event : news.events) check(m_planned.writer->addEvent(event));
        for (const auto& [rank, line] : news.lines) keepLine(rank, line);
        check(m_planned.writer->flush());
        m_othersEnded = m_tasks.allEnded();
    }
    // How the run ended, from how this task and the others did.
    Outcome judge(const Result<wire::RankDone>& outcome) const {
        Outcome end;
        end.state = store::RunState::Failed;
        if (!outcome.ok()) {
            const auto reason = isConsequence(outcome.error().code) ? m_tasks.reason() : std::nullopt;
            end.error = reason.value_or(outcome.error());
        } else if (!m_tasks.allHave(outcome->weightsHash)) {
            end.error = makeError("R540", {{"run", m_asked.folder.run().value}});
        }
        if (outcome.ok()) end.done = *outcome;
        if (end.error) {
            end.cause = end.error->message;
            end.exitCode = end.error->exitCode;
            return end;
        }
        end.state = outcome->stopped ? store::RunState::Stopped : store::RunState::Completed;
        if (!outcome->endedBy.empty()) end.cause = "ended by " + outcome->endedBy;
        if (outcome->stopped) end.exitCode = outcome->endedBy.empty() ? kInterruptedExit : kRuleExit;
        return end;
    }
    // `state` is that of this task's rank.
    std::vector<store::RankRow> ranks(const char* state) const {
        std::vector<store::RankRow> rows;
        for (const auto& rank : m_planned.plan.ranks) {
            if (const auto* task = m_tasks.find(rank.rank))
                rows.push_back({rank.rank, rank.host, rank.device, task->pid, task->state, task->step});
            else
                rows.push_back({rank.rank, rank.host, rank.device, ::getpid(), state, m_step});
        }
        return rows;
    }
    void storeRanks(const char* state) {
        for (const auto& row : ranks(state)) check(m_planned.writer->setRank(row));
    }
    void showStatus(store::RunState state) {
        RunStatus status;
        status.run = m_asked.folder.run();
        status.folder = m_asked.folder.path();
        status.state = state;
        status.cause = "started by hand";
        status.controllerPid = ::getpid();
        status.step = m_step;
        status.steps = m_steps;
        status.ranks = ranks(m_running ? "running" : "spawning");
        m_board.set(std::move(status));
    }
    void obey(const Letter& letter) {
        if (std::holds_alternative<CheckpointOrder>(letter)) m_orders.checkpoint = true;
        const auto* order = std::get_if<StopOrder>(&letter);
        if (order == nullptr) return;
        if (order->mode == StopMode::Kill) {
            abandon(order->actor);
            ::_exit(kInterruptedExit);
        }
        m_orders.stop = true;
    }
    void serveUntil(const std::stop_token& stop) {
        auto rows = std::chrono::steady_clock::now();
        while (!stop.stop_requested()) {
            if (const auto letter = m_inbox.take(Deadline::in(kPace))) obey(*letter);
            drain();
            showStatus(m_running ? store::RunState::Running : store::RunState::Staging);
            if (const auto now = std::chrono::steady_clock::now(); m_running && now - rows >= kRanks) {
                rows = now;
                storeRanks("running");
            }
        }
    }

    Asked m_asked;
    Planned m_planned;
    telemetry::Ring m_ring;
    HandOrders m_orders;
    TaskStreams m_tasks;  // of the thread "store"
    std::atomic<bool> m_othersEnded{false};
    std::atomic<std::uint64_t> m_step{0};
    std::atomic<std::uint64_t> m_steps{0};
    std::atomic<bool> m_running{false};
    Inbox m_inbox;
    StatusBoard m_board;
    ControlSocket m_socket;
    std::jthread m_store;  // last: it uses all of these
};

}  // namespace

Result<std::unique_ptr<HandRun>> HandRun::open(const std::filesystem::path& project, const RunId& run, const spec::RunSpec& spec,
                                               const plan::Plan& plan, HandOrders orders, std::vector<Fd> tasks) {
    Asked asked{RunFolder(project, run), spec, false};
    LS_TRY_ASSIGN(auto planned, keepPlan(asked, plan));
    LS_TRY_ASSIGN(auto ring, telemetry::Ring::create());
    auto hand = std::make_unique<Hand>(std::move(asked), std::move(planned), std::move(ring), orders, std::move(tasks));
    LS_TRY(hand->begin());
    return std::unique_ptr<HandRun>(std::move(hand));
}

}  // namespace lockstep::control
