// When rank 0 writes a checkpoint, and what it tells about it. Ranks other than 0 make one with an empty policy: it never does anything.
#pragma once

#include "start.h"

#include <train/checkpoint_writer.h>

#include <functional>
#include <memory>

namespace lockstep::train {

class CheckpointDuty {
public:
    CheckpointDuty(const RankOptions& options, const data::Schedule& schedule, const StepProgram& step, const RankHooks& hooks);
    // Makes the folder. A folder that can't be made is a warning, as is every later failure.
    void prepare();

    void request() { m_requested = true; }
    // After a finished step: reports what was written meanwhile, and takes a copy of the state when one is due and the writer is free.
    void afterStep(const Progress& progress);
    // Everything of a checkpoint; its tensors are those of stateTensors().
    void fill(Checkpoint& checkpoint, const Progress& progress) const;
    // Takes the last one, waits until it is written and reports it.
    void atEnd(const Progress& progress);

private:
    void take(const Progress& progress);
    void report(const CheckpointWriter::Outcome& outcome);

    const RankOptions& m_options;
    const data::Schedule& m_schedule;
    const StepProgram& m_step;
    const RankHooks& m_hooks;
    std::unique_ptr<CheckpointWriter> m_writer;    // none: no folder, or not rank 0
    std::chrono::steady_clock::time_point m_last;  // when the last one was taken
    std::uint64_t m_lastStep = 0;                  // whose checkpoint is written; 0 = none
    bool m_requested = false;
};

}  // namespace lockstep::train
