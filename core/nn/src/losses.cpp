#include "losses.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lockstep::nn {

using graph::OpKind;
using graph::Value;

namespace {

Error refused(std::string what) { return makeError("S418", {{"what", std::move(what)}}); }

constexpr std::array<std::string_view, 6> kLosses = {"sparse_categorical_crossentropy",
                                                     "categorical_crossentropy",
                                                     "binary_crossentropy",
                                                     "mean_squared_error",
                                                     "mean_absolute_error",
                                                     "huber"};
constexpr std::array<std::string_view, 8> kMetrics = {"accuracy",
                                                      "sparse_categorical_accuracy",
                                                      "categorical_accuracy",
                                                      "binary_accuracy",
                                                      "sparse_top_k_categorical_accuracy",
                                                      "top_k_categorical_accuracy",
                                                      "mean_squared_error",
                                                      "mean_absolute_error"};

template <std::size_t N>
bool isOneOf(std::string_view name, const std::array<std::string_view, N>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

Error notBuilt(const std::string& what) {
    return makeError("X009", {{"what", what}, {"why", "Keras has it, but this build has not."}, {"next", "Use another loss or metric."}});
}

}  // namespace

TargetKind targetsOf(const LossOptions& options) {
    const bool labels = options.name == "sparse_categorical_crossentropy" ||
                        (options.name == "categorical_crossentropy" && options.labelTargets && options.fromLogits);
    return labels ? TargetKind::Labels : TargetKind::Values;
}

std::vector<std::string> lossNames() { return {kLosses.begin(), kLosses.end()}; }

std::vector<std::string> metricNames() { return {kMetrics.begin(), kMetrics.end()}; }

Result<void> checkLoss(const LossOptions& o) {
    if (!isOneOf(o.name, kLosses)) return refused(fmt::format("there is no loss \"{}\"; there are {}", o.name, fmt::join(kLosses, ", ")));
    if (!(o.labelSmoothing >= 0 && o.labelSmoothing <= 1))
        return refused(fmt::format("label_smoothing is {}, but must be from 0 to 1", o.labelSmoothing));
    const bool smooths = o.name == "categorical_crossentropy" || o.name == "binary_crossentropy";
    if (o.labelSmoothing != 0 && !smooths) return refused("label_smoothing belongs to categorical_crossentropy and binary_crossentropy");
    if (!(o.delta > 0) || !std::isfinite(o.delta)) return refused(fmt::format("delta is {}, but must be above 0", o.delta));
    return {};
}

Result<void> checkMetric(const MetricOptions& o) {
    if (!isOneOf(o.name, kMetrics))
        return refused(fmt::format("there is no metric \"{}\"; there are {}", o.name, fmt::join(kMetrics, ", ")));
    if (o.k < 1) return refused(fmt::format("k is {}, but must be 1 or more", o.k));
    if (!std::isfinite(o.threshold)) return refused("threshold must be a number");
    return {};
}

Result<LossInputs> addLossInputs(ModelBuilder& builder, const LossOptions& loss) {
    LS_TRY(checkLoss(loss));
    LossInputs inputs;
    const graph::Shape rows{builder.rows()};
    if (targetsOf(loss) == TargetKind::Labels) {
        LS_TRY_ASSIGN(inputs.labels, builder.graph().input("labels", {graph::DType::I32, rows}));
    }
    LS_TRY_ASSIGN(inputs.weights, builder.graph().input("weights", {builder.dtype(), rows}));
    return inputs;
}

Result<void> addLoss(ModelBuilder& builder, const ModelOptions& options, Value result, const LossInputs& inputs) {
    graph::Graph& graph = builder.graph();
    const graph::TensorType& type = graph.type(result);
    if (!inputs.labels || !options.loss.fromLogits) return notBuilt("Loss " + options.loss.name);
    for (const MetricOptions& metric : options.metrics) LS_TRY(checkMetric(metric));
    if (type.shape.rank() != 2 || type.shape[1] != options.classes) {
        return makeError("S403", {{"op", "logits"},
                                  {"what", fmt::format("the model gives {}, but there are {} classes: it must give [rows, {}]",
                                                       type.toText(), options.classes, options.classes)}});
    }
    graph::Attributes attributes;
    if (options.loss.labelSmoothing != 0) attributes.emplace("label_smoothing", options.loss.labelSmoothing);
    LS_TRY_ASSIGN(const auto loss,
                  graph.append(OpKind::SoftmaxCrossEntropy, "loss", {result, *inputs.labels, inputs.weights}, std::move(attributes)));
    LS_TRY_ASSIGN(const auto correct, graph.append(OpKind::CorrectPredictions, "correct", {result, *inputs.labels, inputs.weights}));
    graph.setOutput("logits", result);
    graph.setOutput("loss", {loss, 0});
    graph.setOutput("correct", {correct, 0});
    return {};
}

}  // namespace lockstep::nn
