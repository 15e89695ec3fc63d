#include "layer_row.h"

#include <fmt/format.h>

namespace lockstep::nn {

using graph::OpKind;
using graph::Value;

namespace {

// Only the last axis is normalised by its own numbers.
Result<std::int64_t> channelsOf(const Layer& layer) {
    const Value x = layer.input();
    LS_TRY(layer.needNumbers(x));
    const auto rank = static_cast<std::int64_t>(layer.shape(x).rank());
    if (rank < 2) return layer.wrongInput(x, "[rows, …, channels]");
    const std::vector<std::int64_t> axis = layer.settings().integers("axis");
    if (axis.size() != 1 || (axis[0] != -1 && axis[0] != rank - 1))
        return layer.notBuilt(fmt::format("axis: {}", toText(Setting(axis))), "Use axis: -1, the last one.");
    return layer.shape(x).back();
}

// gamma or beta, in float32 under every policy; where the layer has none, numbers that change nothing.
Result<Value> scaleOrShift(Layer& layer, std::string_view flag, std::string_view name, std::int64_t channels) {
    if (layer.settings().flag(flag)) return layer.variable(name, {channels}, name);
    return layer.variable(name, {channels}, Named{name == "gamma" ? "ones" : "zeros", {}}, WeightRole::Constant);
}

Result<void> updateStatistics(Layer& layer, Value mean, Value variance, Value movingMean, Value movingVariance) {
    const LayerSettings& settings = layer.settings();
    LS_TRY_ASSIGN(const Value share, layer.model().scalar("statistics_weight"));
    LS_TRY_ASSIGN(const Value meanPart, layer.append(OpKind::MulScalar, "mean", {mean, share}));
    LS_TRY_ASSIGN(const Value variancePart, layer.append(OpKind::MulScalar, "variance", {variance, share}));
    const double momentum = settings.number("momentum");
    layer.model().addMovingStatistic({movingMean, meanPart, momentum, 0});
    // tf_keras' fused kernel, which it uses for pictures.
    const graph::Shape& shape = layer.shape(layer.input());
    const bool bessel = settings.word("moving_variance_rule") == "tf_keras" && shape.rank() == 4;
    const std::int64_t places = shape.elements() / shape[0] / shape.back();
    layer.model().addMovingStatistic({movingVariance, variancePart, momentum, bessel ? places : 0});
    return {};
}

// A frozen layer uses its moving statistics while training too, as Keras does.
Result<Value> buildBatchNormalization(Layer& layer) {
    const LayerSettings& settings = layer.settings();
    LS_TRY_ASSIGN(const std::int64_t channels, channelsOf(layer));
    if (settings.flag("synchronized"))
        return layer.notBuilt("synchronized: true", "Leave it out: each replica normalises by its own rows, as Keras does by default.");
    LS_TRY_ASSIGN(const Value gamma, scaleOrShift(layer, "scale", "gamma", channels));
    LS_TRY_ASSIGN(const Value beta, scaleOrShift(layer, "center", "beta", channels));
    LS_TRY_ASSIGN(const Value movingMean,
                  layer.variable("moving_mean", {channels}, settings.named("moving_mean_initializer"), WeightRole::Statistic));
    LS_TRY_ASSIGN(const Value movingVariance,
                  layer.variable("moving_variance", {channels}, settings.named("moving_variance_initializer"), WeightRole::Statistic));
    const graph::Attributes epsilon = {{"epsilon", settings.number("epsilon")}};
    const Value x = layer.input();
    if (!layer.model().training() || !layer.trains())
        return layer.append(OpKind::BatchNormalize, "", {x, movingMean, movingVariance, gamma, beta}, epsilon);

    LS_TRY_ASSIGN(const Value count, layer.model().scalar("count"));
    LS_TRY_ASSIGN(const Value mean, layer.append(OpKind::BatchMoments, "moments", {x, count}));
    const Value variance{mean.node, 1};
    LS_TRY_ASSIGN(const Value y, layer.append(OpKind::BatchNormalize, "", {x, mean, variance, gamma, beta}, epsilon));
    LS_TRY(updateStatistics(layer, mean, variance, movingMean, movingVariance));
    return y;
}

Result<Value> buildLayerNormalization(Layer& layer) {
    LS_TRY_ASSIGN(const std::int64_t channels, channelsOf(layer));
    if (layer.settings().flag("rms_scaling")) return layer.notBuilt("rms_scaling: true", "Leave it out.");
    LS_TRY_ASSIGN(const Value gamma, scaleOrShift(layer, "scale", "gamma", channels));
    LS_TRY_ASSIGN(const Value beta, scaleOrShift(layer, "center", "beta", channels));
    return layer.append(OpKind::LayerNorm, "", {layer.input(), gamma, beta}, {{"epsilon", layer.settings().number("epsilon")}});
}

constexpr SettingRow kAxis{"axis", SettingKind::Integers, "-1", -8, 8};
constexpr SettingRow kEpsilon{"epsilon", SettingKind::Number, "0.001", 1e-30, 1};
constexpr SettingRow kCenter{"center", SettingKind::Flag, "true"};
constexpr SettingRow kScale{"scale", SettingKind::Flag, "true"};
constexpr SettingRow kBetaInitializer{"beta_initializer", SettingKind::Initializer, "zeros"};
constexpr SettingRow kGammaInitializer{"gamma_initializer", SettingKind::Initializer, "ones"};
constexpr SettingRow kBetaRegularizer{"beta_regularizer", SettingKind::Regularizer, "null"};
constexpr SettingRow kGammaRegularizer{"gamma_regularizer", SettingKind::Regularizer, "null"};

constexpr SettingRow kBatch[] = {kAxis,
                                 {"momentum", SettingKind::Number, "0.99", 0, 1},
                                 kEpsilon,
                                 kCenter,
                                 kScale,
                                 kBetaInitializer,
                                 kGammaInitializer,
                                 {"moving_mean_initializer", SettingKind::Initializer, "zeros"},
                                 {"moving_variance_initializer", SettingKind::Initializer, "ones"},
                                 kBetaRegularizer,
                                 kGammaRegularizer,
                                 {"synchronized", SettingKind::Flag, "false"},
                                 {"moving_variance_rule", SettingKind::Word, "keras", 0, 0, "keras tf_keras"}};

constexpr SettingRow kLayer[] = {kAxis,
                                 kEpsilon,
                                 kCenter,
                                 kScale,
                                 {"rms_scaling", SettingKind::Flag, "false"},
                                 kBetaInitializer,
                                 kGammaInitializer,
                                 kBetaRegularizer,
                                 kGammaRegularizer};

constexpr LayerRow kRows[] = {
    {{"batch_normalization", "BatchNormalization", 1, 1, kBatch}, buildBatchNormalization},
    {{"layer_normalization", "LayerNormalization", 1, 1, kLayer}, buildLayerNormalization},
};

}  // namespace

std::span<const LayerRow> normalizationLayers() { return kRows; }

}  // namespace lockstep::nn
