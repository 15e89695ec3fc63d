// Sums of buckets over a comm::Group. The last bucket, for which the program waits at once, is summed by the calling thread; earlier
// ones by a thread of their own ("reduce"), while backward still runs. With a single bucket there is no such thread.
#pragma once

#include <base/clock.h>
#include <base/gate.h>
#include <comm/group.h>
#include <exec/collectives.h>

#include <atomic>
#include <optional>
#include <thread>
#include <vector>

namespace lockstep::train {

class GroupCollectives final : public exec::Collectives {
public:
    GroupCollectives(comm::Group& group, int buckets, Seconds deadline);
    ~GroupCollectives() override;
    GroupCollectives(const GroupCollectives&) = delete;
    GroupCollectives& operator=(const GroupCollectives&) = delete;

    Result<std::span<std::byte>> memory(int bucket, std::size_t bytes) override;
    Result<void> start(int bucket, std::span<std::byte> data, graph::DType dtype) override;
    Result<void> wait(int bucket) override;

    // Since the last call: time in collectives, and the part of it for which the program stood still.
    struct Times {
        Seconds communication{};
        Seconds waiting{};
    };
    Times takeTimes();

private:
    struct Job {
        std::span<std::byte> data;
        comm::Element element{};
    };
    void work();
    Result<void> reduce(const Job& job);
    Result<void> waitForThread(std::uint32_t target);

    comm::Group& m_group;
    Seconds m_deadline;
    std::uint32_t m_threaded;  // buckets per step that go to the thread
    std::vector<Job> m_jobs;   // one per bucket
    Gate m_started, m_done;    // threaded buckets, over all steps
    std::uint32_t m_submitted = 0;
    std::optional<Error> m_error;  // of the thread; written once, before m_failed
    std::atomic<bool> m_failed{false};
    std::atomic<std::int64_t> m_communication{0};  // nanoseconds
    Seconds m_waiting{};
    std::atomic<bool> m_stop{false};
    std::jthread m_thread;
};

}  // namespace lockstep::train
