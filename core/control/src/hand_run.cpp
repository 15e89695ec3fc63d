#include <control/hand_run.h>

#include "flow_stages.h"

#include <base/log.h>
#include <base/thread.h>
#include <telemetry/ring.h>

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace lockstep::control {
namespace {

using namespace std::chrono_literals;

constexpr auto kPace = 100ms;

class Hand final : public HandRun {
public:
    Hand(Asked asked, Planned planned, telemetry::Ring ring) : m_asked(std::move(asked)), m_planned(std::move(planned)), m_ring(std::move(ring)) {
        m_store = startThread("store", [this](std::stop_token stop) { drainUntil(stop); });
    }

    const RunFolder& folder() const override { return m_asked.folder; }
    void running() override { check(m_planned.writer->setState(store::RunState::Running, "started by hand", "user")); }
    void sample(const telemetry::Sample& sample) noexcept override { m_ring.push(sample); }
    void event(const store::Event& event) override { check(m_planned.writer->addEvent(event)); }

    FlowResult finish(const Result<wire::RankDone>& outcome) override {
        m_store.request_stop();
        m_store.join();
        drain();
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
    void drainUntil(const std::stop_token& stop) {
        std::mutex mutex;
        std::unique_lock lock(mutex);
        std::condition_variable_any wake;
        while (!stop.stop_requested()) {
            wake.wait_for(lock, stop, kPace, [] { return false; });
            drain();
        }
    }

    Asked m_asked;
    Planned m_planned;
    telemetry::Ring m_ring;
    std::jthread m_store;
};

}  // namespace

Result<std::unique_ptr<HandRun>> HandRun::open(const std::filesystem::path& project, const RunId& run, const spec::RunSpec& spec, const plan::Plan& plan) {
    Asked asked{RunFolder(project, run), spec, false};
    LS_TRY_ASSIGN(auto planned, keepPlan(asked, plan));
    LS_TRY_ASSIGN(auto ring, telemetry::Ring::create());
    return std::unique_ptr<HandRun>(std::make_unique<Hand>(std::move(asked), std::move(planned), std::move(ring)));
}

}  // namespace lockstep::control
