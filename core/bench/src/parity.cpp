#include <bench/parity.h>

#include <comm/group.h>
#include <keras/named_weights.h>
#include <nn/presets.h>
#include <train/rank.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace lockstep::bench {
namespace {

constexpr double kExact = 1e-9;  // of float64 runs: only the order of sums may differ
constexpr std::uint32_t kMnistClasses = 10;

double relative(double found, double expected) { return std::abs(found - expected) / std::max(std::abs(expected), 1e-300); }

bool takesPictures(const RecordedCurve& curve) { return curve.model != "mlp" && curve.model != "cnn"; }

Result<nn::Architecture> architectureOf(const RecordedCurve& curve) {
    const std::vector<std::int64_t> shape =
        takesPictures(curve) ? std::vector<std::int64_t>{32, 32, 3} : std::vector<std::int64_t>{28, 28, 1};
    LS_TRY_ASSIGN(nn::Architecture architecture, nn::presetArchitecture(curve.model, shape, kMnistClasses));
    if (curve.l2 == 0) return architecture;
    for (nn::LayerSpec& layer : architecture.layers)
        if (layer.kind == "dense" || layer.kind == "conv2d") layer.settings["kernel_regularizer"] = nn::Named{"l2", {{"l2", curve.l2}}};
    return architecture;
}

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

// The given weights in the order of the model's States.
Result<std::vector<std::vector<std::byte>>> initialWeights(const ParityOptions& options, const nn::ModelOptions& model) {
    LS_TRY_ASSIGN(const auto layers, keras::parseArchitecture(options.weights.config, options.weightsName));
    LS_TRY_ASSIGN(const auto given, keras::namedWeights(options.weights, layers, options.weightsName));
    LS_TRY_ASSIGN(const nn::Model built, nn::buildModel(model, 1, options.dtype));
    if (given.size() != built.weights.size())
        return makeError("S413", {{"what", std::to_string(given.size()) + " weights for " + std::to_string(built.weights.size())}});
    std::vector<std::vector<std::byte>> weights;
    for (std::size_t i = 0; i < given.size(); ++i) {
        const nn::WeightInfo& info = built.weights[i];
        const keras::Tensor& tensor = *given[i].tensor;
        // Layers have names of their own in the file, so order and shape tell which is which.
        if (tensor.shape != info.type.shape)
            return makeError("S413", {{"what", given[i].layer + "/" + given[i].variable + " is " + tensor.shape.toText() + ", " +
                                                   info.name + " of the model " + info.type.shape.toText()}});
        LS_TRY_ASSIGN(auto bytes, keras::convertTo(options.dtype, tensor));
        weights.push_back(std::move(bytes));
    }
    return weights;
}

Result<train::RankOptions> rankOptions(const ParityOptions& options) {
    const RecordedCurve& curve = options.curve;
    train::RankOptions rank;
    LS_TRY_ASSIGN(rank.model.architecture, architectureOf(curve));
    rank.model.inputShape = rank.model.architecture->inputShape;
    if (curve.labelSmoothing != 0) rank.model.loss.name = "categorical_crossentropy";
    rank.model.loss.labelSmoothing = curve.labelSmoothing;
    rank.optimizer = curve.optimizer;
    rank.accumulation = curve.accumulation;
    rank.globalBatch = curve.batch;
    rank.epochs = 1;
    rank.steps = options.updates;
    rank.dtype = options.dtype;
    rank.compile = options.compile;
    rank.evaluate = false;
    rank.stopOnNan = false;
    rank.data.shuffle = false;
    const std::size_t rows = curve.losses.size() * static_cast<std::size_t>(curve.batch);
    if (takesPictures(curve)) {
        auto pictures = std::make_shared<data::Dataset>();
        pictures->train = recordedPictures(static_cast<std::int64_t>(rows));
        pictures->classes = kMnistClasses;
        rank.data.loaded = std::move(pictures);
    } else {
        rank.data.folder = options.mnist;
        rank.data.order = recordedRows(rows);
    }
    LS_TRY_ASSIGN(rank.initialWeights, initialWeights(options, rank.model));
    return rank;
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
        m_within = m_within && difference <= allowed;  // false for NaN
        if (!(difference <= result.worstRelative)) {
            result.worstRelative = difference;
            result.worstStep = update + 1;
        }
        if (!(difference / allowed <= result.worstOfTolerance)) result.worstOfTolerance = difference / allowed;
        // Recorded norms are those of the micro steps' gradients, not of their mean.
        if (micro > 1) return;
        const double norm = relative(gradientNorm, m_curve.gradientNorms[update]);
        m_within = m_within && norm <= (m_exact ? kExact : m_curve.gradientNormTolerance);
        if (!(norm <= result.worstGradientNorm)) result.worstGradientNorm = norm;
    }

    void compareWeights(std::span<const train::StateTensor> states, ParityResult& result) {
        m_within = m_within && states.size() >= m_curve.finalWeights.size();  // slots stand behind the weights
        for (std::size_t w = 0; m_within && w < m_curve.finalWeights.size(); ++w) {
            const RecordedWeight& weight = m_curve.finalWeights[w];
            const train::StateTensor& state = states[w];
            m_within = state.type.shape.dims() == weight.shape;
            if (!m_within) return;
            double squares = 0;
            for (std::size_t i = 0; i < weight.at.size(); ++i) {
                const double difference = std::abs(valueAt(state, weight.at[i]) - weight.values[i]);
                result.worstWeight = std::max(result.worstWeight, difference / std::max(1.0, std::abs(weight.values[i])));
                squares += difference * difference;
            }
            // Some entries stand for all of them.
            m_distance += squares / static_cast<double>(weight.at.size()) * static_cast<double>(state.type.shape.elements());
            m_length += weight.length * weight.length;
        }
        result.weightsDistance = std::sqrt(m_distance / m_length);
        if (m_exact)
            m_within = m_within && result.worstWeight <= kExact;
        else
            m_within = m_within && result.weightsDistance <= m_curve.weightsTolerance;
    }

    bool within() const { return m_within; }

private:
    const RecordedCurve& m_curve;
    bool m_exact;
    bool m_within = true;
    double m_distance = 0, m_length = 0;
};

}  // namespace

Result<ParityResult> runParity(const ParityOptions& options, exec::Executor& executor) {
    if (options.curve.policy != "float32") return makeError("X009", {{"what", "the policy " + options.curve.policy}});
    LS_TRY_ASSIGN(const train::RankOptions rank, rankOptions(options));
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
    if (result.complete && updates == recorded) comparison.compareWeights(final, result);
    result.withinTolerance = result.complete && comparison.within();
    return result;
}

}  // namespace lockstep::bench
