// The steps of a rank, one after the other. Nothing in a step allocates, locks or logs.
#pragma once

#include "checkpoint_duty.h"
#include "evaluation.h"
#include "rule_book.h"
#include "weight_average.h"

#include <data/feed.h>

namespace lockstep::train {

class RankLoop {
public:
    struct Parts {
        const RankOptions& options;
        comm::Group& group;
        const RankHooks& hooks;
        const data::Dataset& dataset;
        const data::Schedule& schedule;
        StepProgram& step;
    };
    RankLoop(const Parts& parts, const Progress& progress);

    Result<RankResult> run(data::Feed& feed);

private:
    // Times of one step on this rank.
    struct StepTimes {
        Seconds inputWait{}, run{}, whole{};
        GroupCollectives::Times communication;
    };
    enum class Next { Step, Stop, End };  // Stop: asked to; End: a rule of the epochs
    // Where a program finds its Inputs.
    struct Feeds {
        FeedPlaces places;
        std::vector<const std::byte*> pointers;
        void set(int place, const std::byte* bytes);
    };

    void setScalars(Feeds& feeds);
    Result<Next> oneBatch(const data::StepInput& input);
    void keepFor(const data::StepInput& input, std::int64_t slice);
    Result<void> runSlices(const data::StepInput& input);
    void setPart(const data::StepInput& input, std::int64_t first, std::int64_t rows);
    void fillFeeds(Feeds& feeds, const data::StepInput& input);
    Result<void> runMicroStep(const data::StepInput& input);
    Result<Next> runStep(const data::StepInput& input);
    bool several() const { return m_batches > 1; }
    bool endsEpoch(const data::StepInput& input) const { return input.rows.lastOfEpoch || input.rows.step == m.schedule.totalSteps(); }
    EpochResult resultOf(const EpochSums& sums) const;
    Result<void> addToEpoch(const data::StepInput& input, const exec::Program& program);
    double rateOf(const data::StepRows& rows) const;
    double controlToSend();
    Result<void> checkFinite(std::uint64_t step, double loss, double gradientNorm);
    Result<bool> takeLossScale(std::uint64_t step, double gradientNorm);
    Error lossError(std::uint64_t step, double loss);
    void emitStep(double loss, double gradientNorm, const StepTimes& times);
    void emitRankShare(double time);
    void emitEpoch(const EpochResult& epoch);
    void emitLossScale(double time);
    std::uint64_t updatesBefore(std::uint64_t batch) const;
    // Slices of one rank are one replica.
    bool isOfReplicas() const { return m.options.reduction == Reduction::Replicas && m_slices == 1; }
    void emit(telemetry::Series series, double value, double time, std::int16_t rank);
    Result<void> endEpoch(const data::StepRows& rows);
    Result<void> evaluate(EpochResult& result);
    RankResult result(bool stopped) const;

    Parts m;
    Progress m_progress;
    CheckpointDuty m_checkpoints;
    std::optional<Evaluation> m_evaluation;
    WeightAverage m_average;
    RuleBook m_rules;
    std::string m_endedBy;
    std::chrono::steady_clock::time_point m_started;
    std::vector<ToldMetric> m_metrics;
    MetricSums m_batchSums, m_stepSums;  // of one batch; of an update
    std::vector<double> m_batchValues, m_stepValues, m_rankValues;
    std::vector<double> m_sliceValues;  // of the batch's slices but the last
    bool m_alone;
    std::int16_t m_rank;
    nn::ScheduleOptions m_rates;
    std::uint64_t m_batches;     // per update
    std::int64_t m_slices;       // that run one after the other
    std::int64_t m_rows;         // of one pass of a program
    std::int64_t m_targetWidth;  // numbers of a row that the program takes as targets; 0: labels
    std::int64_t m_part = 0;     // where the rows of the next pass begin in the input
    Feeds m_feeds, m_microFeeds;
    double m_rate = 0;            // of the update in progress
    double m_lossScale = 0;       // dynamic: that of the next step
    std::uint64_t m_skipped = 0;  // steps that did not update, because their gradients were not finite
    StepTimes m_times;            // of the update in progress
    std::int64_t m_ownRows = 0;   // likewise
    double m_ownShare = 0;        // likewise: this rank's part of the weights of its batches
    bool m_inUpdate = false;
    std::chrono::steady_clock::time_point m_begin;
    ScalarFeed m_learningRate, m_stepNumber, m_control, m_count, m_firstRow, m_statisticsWeight, m_keep, m_statisticsKeep, m_rowShare,
        m_fixedScale;
};

}  // namespace lockstep::train
