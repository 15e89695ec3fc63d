#include <bench/train_bench.h>

#include "curve_run.h"

#include <comm/group.h>
#include <nn/precision.h>
#include <nn/presets.h>
#include <passes/pipeline.h>

#include <sys/resource.h>
#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lockstep::bench {
namespace {

using std::chrono::steady_clock;

constexpr int kClasses = 10;
constexpr std::int64_t kPictures = 4096;
constexpr std::size_t kCurveRows = 60'000;  // then they begin anew
constexpr std::size_t kLosses = 20;
constexpr int kEndless = std::numeric_limits<int>::max();
constexpr std::array<std::string_view, 3> kOnMnist = {"mlp", "lenet5", "cnn"};
constexpr std::array<std::string_view, 2> kOnPictures = {"resnet20", "mobilenet"};

bool isIn(std::span<const std::string_view> list, std::string_view word) { return std::ranges::find(list, word) != list.end(); }

Result<train::RankOptions> presetRank(const TrainBenchOptions& options) {
    train::RankOptions rank;
    rank.model.classes = kClasses;
    if (isIn(kOnPictures, options.model)) {
        auto pictures = std::make_shared<data::Dataset>();
        pictures->train = recordedPictures(kPictures);
        pictures->classes = kClasses;
        rank.model.inputShape = pictures->train.featureShape;
        rank.data.loaded = std::move(pictures);
    } else if (!isIn(kOnMnist, options.model)) {
        return makeError("X009", {{"what", "Measuring the preset " + options.model},
                                  {"why", "There are no rows of its shape here."},
                                  {"next", fmt::format("Use one of {}.", fmt::join(benchModels(), ", "))}});
    }
    rank.data.folder = options.mnist;
    rank.model.preset = options.model;
    rank.model.policy = options.precision;
    rank.optimizer = nn::optimizerDefaults("adam");
    rank.optimizer.dynamicLossScale = options.precision == nn::kMixedFloat16;
    rank.globalBatch = options.batch;
    rank.evaluate = false;
    return rank;
}

Result<train::RankOptions> rankOf(const TrainBenchOptions& options) {
    if (!options.curve) {
        if (!nn::computeTypeOf(options.precision))
            return makeError("X009", {{"what", "Measuring the policy " + options.precision},
                                      {"why", "Weights are kept in float32 here."},
                                      {"next", fmt::format("Use one of {}.", fmt::join(nn::policyNames(), ", "))}});
        return presetRank(options);
    }
    const CurveStart& start = *options.curve;
    return curveRun(start.curve, start.weights, start.weightsName, options.mnist, graph::DType::F32, kCurveRows);
}

// The work of one step by the costs of its graph's ops.
Result<exec::CostReport> costOf(const train::RankOptions& rank) {
    LS_TRY_ASSIGN(const nn::Model model, nn::buildModel(rank.model, rank.globalBatch, rank.dtype));
    passes::TrainStepOptions options;
    options.optimizer = rank.optimizer;
    options.allReduce = false;
    LS_TRY_ASSIGN(const passes::TrainStep step, passes::makeTrainStep(model, options));
    exec::CostReport cost;
    for (const graph::Node& node : step.graph.nodes()) {
        const graph::OpCost one = graph::costOf(step.graph, node);
        cost.flops += one.flops;
        cost.bytes += one.bytes;
    }
    return cost;
}

std::uint64_t peakResidentBytes() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

double quantile(const std::vector<double>& sorted, double share) {
    return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

// Takes the times of the steps and says when it is enough.
class Watch {
public:
    explicit Watch(const TrainBenchOptions& options) : m_options(options) { m_steps.reserve(1u << 20); }

    void stepEnded() {
        const auto now = steady_clock::now();
        if (m_seen++ == 0) {
            m_first = now;
            m_firstStep = Seconds(now - m_options.processStart).count();
        }
        const bool warm = m_seen >= kWarmUpSteps && now - m_first >= m_options.warmUp;
        if (m_steps.empty() && !m_counting) {
            if (warm) {
                m_counting = true;
                m_begin = m_last = now;
            }
            return;
        }
        m_steps.push_back(Seconds(now - m_last).count());
        m_last = now;
        const double part = Seconds(now - m_begin) / m_options.measured;
        if (m_options.progress) m_options.progress(std::min(part, 1.0));
        if ((part >= 1 && m_steps.size() >= kLeastSteps) || (m_options.stop != nullptr && m_options.stop->load())) m_done.store(true);
    }
    std::atomic<bool>* done() { return &m_done; }

    TrainMeasure measure(std::int64_t rowsPerStep) const {
        TrainMeasure found;
        std::vector<double> sorted = m_steps;
        std::ranges::sort(sorted);
        found.steps = m_steps.size();
        found.seconds = Seconds(m_last - m_begin).count();
        found.imagesPerSecond = static_cast<double>(rowsPerStep) * static_cast<double>(found.steps) / found.seconds;
        found.secondsP10 = quantile(sorted, 0.1);
        found.secondsP50 = quantile(sorted, 0.5);
        found.secondsP90 = quantile(sorted, 0.9);
        found.firstStepSeconds = m_firstStep;
        return found;
    }

private:
    const TrainBenchOptions& m_options;
    std::vector<double> m_steps;
    std::uint64_t m_seen = 0;
    bool m_counting = false;
    double m_firstStep = 0;
    steady_clock::time_point m_first, m_begin, m_last;
    std::atomic<bool> m_done{false};
};

}  // namespace

std::vector<std::string> benchModels() {
    std::vector<std::string> names;
    for (const std::string_view name : kOnMnist) names.emplace_back(name);
    for (const std::string_view name : kOnPictures) names.emplace_back(name);
    return names;
}

Result<TrainMeasure> measureTraining(const TrainBenchOptions& options, exec::Executor& executor) {
    LS_TRY_ASSIGN(train::RankOptions rank, rankOf(options));
    rank.epochs = kEndless;
    rank.stopOnNan = false;
    rank.compile = options.compile;
    Watch watch(options);
    std::vector<double> losses;
    double loss = 0;
    train::RankHooks hooks;
    hooks.stop = watch.done();
    hooks.progress = [&watch](std::uint64_t) { watch.stepEnded(); };
    hooks.sample = [&](const telemetry::Sample& sample) {
        if (sample.series != telemetry::Series::Loss) return;
        loss = sample.value;
        if (losses.size() < kLosses) losses.push_back(sample.value);
    };
    const auto group = comm::makeSingleGroup();
    LS_TRY(train::runRank(rank, executor, *group, hooks));
    if (options.stop != nullptr && options.stop->load())
        return makeError("X003", {{"work", "The measurement"}, {"how", "was asked to end"}});
    TrainMeasure measure = watch.measure(rank.globalBatch * rank.accumulation);
    measure.peakBytes = peakResidentBytes();
    measure.loss = loss;
    measure.firstLosses = std::move(losses);
    LS_TRY_ASSIGN(const exec::CostReport cost, costOf(rank));
    measure.flops = cost.flops * rank.accumulation;
    measure.bytes = cost.bytes * rank.accumulation;
    return measure;
}

}  // namespace lockstep::bench
