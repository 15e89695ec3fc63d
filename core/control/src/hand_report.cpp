#include <control/hand_run.h>

#include <base/thread.h>
#include <telemetry/codec.h>
#include <telemetry/ring.h>
#include <wire/task_messages.h>

#include <sys/socket.h>
#include <unistd.h>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace lockstep::control {
namespace {

constexpr auto kPace = std::chrono::milliseconds(100);
constexpr Seconds kSendDeadline{5};

class Report final : public HandReport {
public:
    Report(Fd stream, int rank, telemetry::Ring ring) : m_stream(std::move(stream)), m_rank(rank), m_ring(std::move(ring)) {
        queue(wire::FromRank(wire::RankHello{::getpid()}));
        m_thread = startThread("report", [this](std::stop_token stop) { sendUntil(stop); });
    }

    void running(std::uint64_t steps) override { m_steps = steps; }
    void progress(std::uint64_t step) noexcept override { m_step = step; }
    void sample(const telemetry::Sample& sample) noexcept override { m_ring.push(sample); }
    void checkpointed(std::uint64_t step, const std::string& id) override { queue(wire::FromRank(wire::RankCheckpoint{step, id})); }
    void warning(const Error& warning) override { queue(wire::FromRank(wire::RankWarning{warning})); }
    void line(LogLevel level, std::string_view text) override {
        queue(wire::TaskLog{formatLogLine(level, "rank " + std::to_string(m_rank), text)});
    }
    void finish(const Result<wire::RankDone>& outcome) override {
        m_thread.request_stop();
        m_thread.join();
        send(outcome.ok() ? wire::FromRank(*outcome) : wire::FromRank(wire::RankFailed{outcome.error()}));
        ::shutdown(m_stream.get(), SHUT_WR);
    }

private:
    void queue(wire::FromTask message) {
        const std::scoped_lock lock(m_mutex);
        m_waiting.push_back(std::move(message));
    }
    // When task 0 is gone the group is broken too, and the training says so.
    void send(const wire::FromTask& message) {
        if (!m_gone) m_gone = !wire::writeFrame(m_stream.get(), wire::toFrame(message), Deadline::in(kSendDeadline)).ok();
    }
    void sendAll() {
        for (const auto& batch : telemetry::toBatches(m_ring.drain()))
            send(wire::TaskPoints{batch.key.name, static_cast<std::int16_t>(batch.key.rank), telemetry::encodePoints(batch.points)});
        std::vector<wire::FromTask> waiting;
        {
            const std::scoped_lock lock(m_mutex);
            waiting.swap(m_waiting);
        }
        for (const auto& message : waiting) send(message);
        if (const auto step = m_step.load(); step != m_sentStep) {
            m_sentStep = step;
            send(wire::FromRank(wire::RankProgress{step, m_steps, {}}));
        }
    }
    void sendUntil(const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            sendAll();
            std::unique_lock lock(m_mutex);
            m_wake.wait_for(lock, stop, kPace, [] { return false; });
        }
        sendAll();
    }

    Fd m_stream;
    const int m_rank;
    telemetry::Ring m_ring;
    std::atomic<std::uint64_t> m_step{0};
    std::atomic<std::uint64_t> m_steps{0};
    std::uint64_t m_sentStep = 0;
    bool m_gone = false;
    std::mutex m_mutex;
    std::condition_variable_any m_wake;
    std::vector<wire::FromTask> m_waiting;
    std::jthread m_thread;  // last: it uses all of these
};

}  // namespace

Result<std::unique_ptr<HandReport>> HandReport::open(Fd stream, int rank) {
    LS_TRY_ASSIGN(auto ring, telemetry::Ring::create());
    return std::unique_ptr<HandReport>(std::make_unique<Report>(std::move(stream), rank, std::move(ring)));
}

}  // namespace lockstep::control
