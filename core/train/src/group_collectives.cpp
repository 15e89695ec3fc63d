#include "group_collectives.h"

#include <base/thread.h>

#include <algorithm>

namespace lockstep::train {
namespace {

using std::chrono::steady_clock;

comm::Element elementOf(graph::DType dtype) {
    switch (dtype) {
        case graph::DType::F32: return comm::Element::F32;
        case graph::DType::F64: return comm::Element::F64;
        case graph::DType::I32: return comm::Element::I32;
        case graph::DType::BF16:
        case graph::DType::F16: break;  // no all_reduce takes them (graph/op.h)
    }
    return comm::Element::F32;
}

}  // namespace

GroupCollectives::GroupCollectives(comm::Group& group, int buckets, Seconds deadline)
    : m_group(group),
      m_deadline(deadline),
      m_threaded(buckets > 1 ? static_cast<std::uint32_t>(buckets - 1) : 0),
      m_jobs(static_cast<std::size_t>(std::max(buckets, 1))) {
    if (m_threaded > 0) m_thread = startThread("reduce", [this](std::stop_token) { work(); });
}

GroupCollectives::~GroupCollectives() {
    m_stop = true;
    m_started.add();
}

Result<std::span<std::byte>> GroupCollectives::memory(int, std::size_t bytes) { return m_group.reserve(bytes, Deadline::in(m_deadline)); }

Result<void> GroupCollectives::start(int bucket, std::span<std::byte> data, graph::DType dtype) {
    m_jobs[static_cast<std::size_t>(bucket)] = {data, elementOf(dtype)};
    if (static_cast<std::uint32_t>(bucket) == m_threaded) return {};
    ++m_submitted;
    m_started.add();
    return {};
}

Result<void> GroupCollectives::wait(int bucket) {
    const auto begin = steady_clock::now();
    const auto index = static_cast<std::uint32_t>(bucket);
    // A step submits all its threaded buckets before the last one starts, so this one's place is known from the end of the step.
    const std::uint32_t inStep = m_submitted == 0 ? 0 : (m_submitted - 1) % std::max(m_threaded, 1u) + 1;
    const std::uint32_t target = index == m_threaded ? m_submitted : m_submitted - inStep + index + 1;
    auto done = waitForThread(target);
    if (done.ok() && index == m_threaded) done = reduce(m_jobs[index]);
    m_waiting += steady_clock::now() - begin;
    return done;
}

Result<void> GroupCollectives::waitForThread(std::uint32_t target) {
    if (m_threaded == 0) return {};
    // Each collective ends by its own deadline; this one only guards against a fault of ours.
    if (!m_done.wait(target, Deadline::in(m_deadline * (m_threaded + 1))))
        return makeError("X001", {{"what", "the reduce thread does not answer"}});
    if (m_failed.load(std::memory_order_acquire)) return *m_error;
    return {};
}

Result<void> GroupCollectives::reduce(const Job& job) {
    const auto begin = steady_clock::now();
    auto done = m_group.allReduce({job.data, job.element, Deadline::in(m_deadline)});
    m_communication.fetch_add(std::chrono::duration_cast<std::chrono::nanoseconds>(steady_clock::now() - begin).count(),
                              std::memory_order_relaxed);
    return done;
}

void GroupCollectives::work() {
    for (std::uint32_t next = 1;; ++next) {
        m_started.wait(next, Deadline::never());
        if (m_stop) return;
        // After an error the group is broken; the program learns of it at its next wait and starts nothing more of use.
        if (!m_failed.load(std::memory_order_relaxed)) {
            auto done = reduce(m_jobs[(next - 1) % m_threaded]);
            if (!done.ok()) {
                m_error = std::move(done).error();
                m_failed.store(true, std::memory_order_release);
            }
        }
        m_done.add();
    }
}

GroupCollectives::Times GroupCollectives::takeTimes() {
    const Times times{std::chrono::nanoseconds(m_communication.exchange(0, std::memory_order_relaxed)), m_waiting};
    m_waiting = {};
    return times;
}

}  // namespace lockstep::train
