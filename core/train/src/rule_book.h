// The rules of a run's epochs at work (train/epoch_rules.h).
#pragma once

#include "checkpoint_duty.h"

#include <train/epoch_rules.h>

#include <string>
#include <utility>
#include <vector>

namespace lockstep::train {

class RuleBook {
public:
    // All parts outlive this object. `metrics`: names of the model's metrics in their order.
    RuleBook(const RankOptions& options, StepProgram& step, CheckpointDuty& checkpoints, const RankHooks& hooks);

    // Error S307: a rule watches what this run does not measure.
    Result<void> check(bool validates) const;
    // Before the first step: opens what is written, on rank 0. What can't be made is a warning.
    void prepare();

    // Behind a whole epoch that trained with `rate`; progress.last is its result and progress.rules what the rules remember.
    void afterEpoch(int epoch, double rate, Progress& progress);
    // The rate of that epoch if a rule says so.
    std::optional<double> rateOf(int epoch, const RuleState& state) const;
    // "early_stopping" or "stop.target" once one of them has ended the run.
    const std::string& endedBy() const { return m_endedBy; }
    // At the end of a run: the best weights, if early stopping was to keep them.
    void restoreBest(const RuleState& state);

private:
    using Values = std::vector<std::pair<std::string, double>>;
    Values valuesOf(const EpochResult& result) const;
    void writeLine(int epoch, double rate, const Values& values);
    void watchStopping(int epoch, const Values& values, RuleState& state);
    void watchPlateau(double rate, const Values& values, RuleState& state);
    void watchBest(const Values& values, Progress& progress);
    void warn(Error error, const char* doing) const;

    const RankOptions& m_options;
    const EpochRules& m_rules;
    StepProgram& m_step;
    CheckpointDuty& m_checkpoints;
    const RankHooks& m_hooks;
    std::vector<std::string> m_metrics;
    std::optional<CheckpointStore> m_best;
    bool m_logs = false;
    std::string m_endedBy;
};

}  // namespace lockstep::train
