#include <bench/parity.h>

#include "curve_run.h"

#include <comm/group.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

namespace lockstep::bench {
namespace {

constexpr double kExact = 1e-9;  // of float64 runs: only the order of sums may differ

double relative(double found, double expected) { return std::abs(found - expected) / std::max(std::abs(expected), 1e-300); }

double valueAt(const train::StateTensor& tensor, std::size_t index) {
    if (tensor.type.dtype == graph::DType::F64) {
        double value = 0;
        std::memcpy(&value, tensor.bytes.data() + index * sizeof value, sizeof value);
        return value;
    }
    float value = 0;
    std::memcpy(&value, tensor.bytes.data() + index * sizeof value, sizeof value);
    return static_cast<double>(value);
}

// Compares what was measured with what was recorded.
class Comparison {
public:
    explicit Comparison(const ParityOptions& options) : m_curve(options.curve), m_exact(options.dtype == graph::DType::F64) {}

    void compareStep(std::size_t update, double loss, double gradientNorm, ParityResult& result) {
        const auto micro = static_cast<std::size_t>(m_curve.accumulation);
        double expected = 0, allowed = kExact;
        for (std::size_t i = update * micro; i < (update + 1) * micro; ++i) {
            expected += m_curve.losses[i] / static_cast<double>(micro);
            if (!m_exact) allowed = m_curve.tolerances[i];
        }
        const double difference = relative(loss, expected);
        hold({"loss", update + 1, loss, expected, difference, allowed}, result);
        if (!(difference <= result.worstRelative)) {
            result.worstRelative = difference;
            result.worstStep = update + 1;
        }
        if (!(difference / allowed <= result.worstOfTolerance)) result.worstOfTolerance = difference / allowed;
        // Recorded norms are those of the micro steps' gradients, not of their mean.
        if (micro > 1) return;
        const double wanted = m_curve.gradientNorms[update], norm = relative(gradientNorm, wanted);
        hold({"gradient norm", update + 1, gradientNorm, wanted, norm, m_exact ? kExact : m_curve.gradientNormTolerance}, result);
        if (!(norm <= result.worstGradientNorm)) result.worstGradientNorm = norm;
    }

    // Of the weights that Keras has, in its order.
    Result<void> compareWeights(std::span<const train::StateTensor* const> states, ParityResult& result) {
        if (states.size() < m_curve.finalWeights.size()) return unlike("fewer weights");
        double distance = 0, length = 0;
        for (std::size_t w = 0; w < m_curve.finalWeights.size(); ++w) {
            const RecordedWeight& weight = m_curve.finalWeights[w];
            const train::StateTensor& state = *states[w];
            if (state.type.shape.dims() != weight.shape) return unlike("another shape than " + weight.path);
            double squares = 0;
            for (std::size_t i = 0; i < weight.at.size(); ++i) {
                const double difference = std::abs(valueAt(state, weight.at[i]) - weight.values[i]);
                result.worstWeight = std::max(result.worstWeight, difference / std::max(1.0, std::abs(weight.values[i])));
                squares += difference * difference;
            }
            // Some entries stand for all of them.
            distance += squares / static_cast<double>(weight.at.size()) * static_cast<double>(state.type.shape.elements());
            length += weight.length * weight.length;
        }
        result.weightsDistance = std::sqrt(distance / length);
        const double off = m_exact ? result.worstWeight : result.weightsDistance;
        hold({"final weights", result.losses.size(), off, 0, off, m_exact ? kExact : m_curve.weightsTolerance}, result);
        return {};
    }

private:
    // A NaN is not within anything.
    static void hold(Miss value, ParityResult& result) {
        if (!(value.difference <= value.allowed) && !result.miss) result.miss = std::move(value);
    }
    static Error unlike(const std::string& what) { return makeError("S413", {{"what", "the model has " + what + " in the curve"}}); }

    const RecordedCurve& m_curve;
    bool m_exact;
};

// Slots stand behind the weights.
std::vector<const train::StateTensor*> kerasWeights(const std::vector<train::StateTensor>& states, const nn::Model& model) {
    std::set<std::string> constants;
    for (const nn::WeightInfo& info : model.weights)
        if (info.role == nn::WeightRole::Constant) constants.insert(info.name);
    std::vector<const train::StateTensor*> weights;
    for (const train::StateTensor& state : states)
        if (!constants.contains(state.name)) weights.push_back(&state);
    return weights;
}

}  // namespace

Result<train::RankOptions> recordedRun(const ParityOptions& options) {
    const std::size_t rows = options.curve.losses.size() * static_cast<std::size_t>(options.curve.batch);
    LS_TRY_ASSIGN(train::RankOptions rank,
                  curveRun(options.curve, options.weights, options.weightsName, options.mnist, options.dtype, rows));
    rank.steps = options.updates;
    rank.compile = options.compile;
    return rank;
}

Result<ParityResult> runParity(const ParityOptions& options, exec::Executor& executor) {
    LS_TRY_ASSIGN(const train::RankOptions rank, recordedRun(options));
    return runRecorded(options, rank, executor);
}

Result<ParityResult> runRecorded(const ParityOptions& options, const train::RankOptions& rank, exec::Executor& executor) {
    LS_TRY_ASSIGN(const nn::Model built, nn::buildModel(rank.model, 1, options.dtype));
    ParityResult result;
    std::vector<train::StateTensor> final;
    train::RankHooks hooks;
    hooks.stop = options.stop;
    hooks.finalStates = [&](std::span<const train::StateTensor> states) { final.assign(states.begin(), states.end()); };
    hooks.sample = [&](const telemetry::Sample& sample) {
        if (sample.series == telemetry::Series::Loss) result.losses.push_back(sample.value);
        if (sample.series == telemetry::Series::GradientNorm) result.gradientNorms.push_back(sample.value);
    };
    const std::size_t recorded = options.curve.losses.size() / static_cast<std::size_t>(options.curve.accumulation);
    const std::size_t updates = std::min<std::size_t>(options.updates.value_or(recorded), recorded);
    hooks.progress = [&](std::uint64_t step) {
        if (options.progress) options.progress(step, updates);
    };
    const auto group = comm::makeSingleGroup();
    LS_TRY_ASSIGN(const train::RankResult ran, train::runRank(rank, executor, *group, hooks));
    Comparison comparison(options);
    for (std::size_t i = 0; i < result.losses.size(); ++i) comparison.compareStep(i, result.losses[i], result.gradientNorms[i], result);
    result.complete = !ran.stopped && result.losses.size() == updates;
    if (result.complete && updates == recorded) LS_TRY(comparison.compareWeights(kerasWeights(final, built), result));
    result.withinTolerance = result.complete && !result.miss;
    return result;
}

}  // namespace lockstep::bench
