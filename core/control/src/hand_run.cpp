#include <control/hand_run.h>

#include "control_socket.h"
#include "flow_stages.h"

#include <base/log.h>
#include <base/thread.h>
#include <telemetry/ring.h>

#include <unistd.h>
#include <atomic>
#include <chrono>
#include <utility>
#include <variant>
#include <vector>

namespace lockstep::control {
namespace {

using namespace std::chrono_literals;

constexpr auto kPace = 100ms;
constexpr auto kRanks = 1s;

class Hand final : public HandRun {
public:
    Hand(Asked asked, Planned planned, telemetry::Ring ring, HandOrders orders)
        : m_asked(std::move(asked)),
          m_planned(std::move(planned)),
          m_ring(std::move(ring)),
          m_orders(orders),
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
    void event(const store::Event& event) override { check(m_planned.writer->addEvent(event)); }
    void abandon(const std::string& actor) override {
        check(m_planned.writer->flush());
        check(m_planned.writer->setState(store::RunState::Stopped, "ended at once", actor));
        m_socket.unlink();
    }

    FlowResult finish(const Result<wire::RankDone>& outcome) override {
        m_store.request_stop();
        m_store.join();
        drain();
        storeRanks(!outcome.ok() ? "failed" : outcome->stopped ? "stopped" : "completed");
        Outcome end;
        if (!outcome.ok()) {
            end.state = store::RunState::Failed;
            end.error = outcome.error();
            end.cause = outcome.error().message;
            end.exitCode = outcome.error().exitCode;
        } else {
            end.state = outcome->stopped ? store::RunState::Stopped : store::RunState::Completed;
            end.exitCode = outcome->stopped ? kInterruptedExit : 0;
            end.done = *outcome;
        }
        return conclude(m_asked, m_planned, end);
    }

private:
    void check(const Result<void>& stored) {
        if (!stored.ok()) log(LogLevel::Error, stored.error().message);
    }
    void drain() {
        const auto samples = m_ring.drain();
        if (!samples.empty()) check(m_planned.writer->append(telemetry::toBatches(samples), "", 0));
        check(m_planned.writer->flush());
    }
    // All tasks take every step together, so the step of this one is that of each; only its own process is known.
    std::vector<store::RankRow> ranks(const char* state) const {
        std::vector<store::RankRow> rows;
        for (const auto& rank : m_planned.plan.ranks)
            rows.push_back({rank.rank, rank.host, rank.device, rank.rank == 0 ? ::getpid() : 0, state, m_step});
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
                                               const plan::Plan& plan, HandOrders orders) {
    Asked asked{RunFolder(project, run), spec, false};
    LS_TRY_ASSIGN(auto planned, keepPlan(asked, plan));
    LS_TRY_ASSIGN(auto ring, telemetry::Ring::create());
    auto hand = std::make_unique<Hand>(std::move(asked), std::move(planned), std::move(ring), orders);
    LS_TRY(hand->begin());
    return std::unique_ptr<HandRun>(std::move(hand));
}

}  // namespace lockstep::control
