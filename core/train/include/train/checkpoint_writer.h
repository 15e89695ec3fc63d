// Writes checkpoints on a thread of its own ("checkpoint"), so that training stops only for the copy of its state. One checkpoint is
// under way at a time. Used by one thread, the training one.
#pragma once

#include <base/clock.h>
#include <base/gate.h>
#include <train/checkpoint.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <thread>

namespace lockstep::train {

class CheckpointWriter {
public:
    explicit CheckpointWriter(CheckpointStore store);
    ~CheckpointWriter();  // finishes what was submitted
    CheckpointWriter(const CheckpointWriter&) = delete;
    CheckpointWriter& operator=(const CheckpointWriter&) = delete;

    bool idle() const { return m_done.value() == m_submitted && !m_outcomePending; }

    // The snapshot to fill; its buffers are kept from one checkpoint to the next. Precondition of both: idle().
    Checkpoint& snapshot() { return m_snapshot; }
    void submit();

    struct Outcome {
        std::uint64_t step = 0;
        std::string id;  // empty on error
        std::optional<Error> error;
        Seconds time{};
    };
    // The outcome of the last submission once it is there, one time.
    std::optional<Outcome> take();
    // Waits for it; nothing when none is under way or the deadline passes.
    std::optional<Outcome> wait(Deadline deadline);

private:
    void work();

    CheckpointStore m_store;
    Checkpoint m_snapshot;
    Outcome m_outcome;
    bool m_outcomePending = false;
    std::uint32_t m_submitted = 0;
    Gate m_work, m_done;
    std::atomic<std::uint32_t> m_end{0};  // the addition to m_work that means the end; 0 = not yet
    std::jthread m_thread;
};

}  // namespace lockstep::train
