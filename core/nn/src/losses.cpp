#include "losses.h"

#include <nn/metric.h>

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
constexpr std::array<std::string_view, 11> kMetrics = {"accuracy",
                                                       "sparse_categorical_accuracy",
                                                       "categorical_accuracy",
                                                       "binary_accuracy",
                                                       "sparse_top_k_categorical_accuracy",
                                                       "top_k_categorical_accuracy",
                                                       "mean_squared_error",
                                                       "mean_absolute_error",
                                                       "auc",
                                                       "precision",
                                                       "recall"};

template <std::size_t N>
bool isOneOf(std::string_view name, const std::array<std::string_view, N>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

// What goes into a softmax or sigmoid at the end of the model: Keras takes it, with any of its cross-entropies, where a loss is told to
// expect probabilities (keras/backend/tensorflow/nn.py, _get_logits).
std::optional<Value> logitsBehind(const graph::Graph& graph, Value result) {
    const graph::Node& node = graph.node(result.node);
    const bool sigmoid = node.op == OpKind::Activate && graph::textAttribute(node.attributes, "kind") == "sigmoid";
    return node.op == OpKind::Softmax || sigmoid ? std::optional(node.inputs[0]) : std::nullopt;
}

// The end of a model while it is built.
class Head {
public:
    Head(ModelBuilder& builder, const ModelOptions& options, Value result, const LossInputs& inputs)
        : m_graph(builder.graph()), m_options(options), m_result(result), m_inputs(inputs) {}

    Result<void> build() {
        LS_TRY(takeTargets());
        m_graph.setOutput("logits", m_result);
        LS_TRY_ASSIGN(const Value loss, appendLoss());
        m_graph.setOutput("loss", loss);
        std::vector<MetricOptions> metrics = m_options.metrics;
        if (metrics.empty()) metrics.emplace_back();
        for (std::size_t i = 0; i < metrics.size(); ++i) {
            const std::string output = i == 0 ? "correct" : "metric/" + metrics[i].name;
            LS_TRY_ASSIGN(const Value value, appendMetric(output, metrics[i]));
            m_graph.setOutput(output, value);
        }
        return {};
    }

private:
    const graph::TensorType& type(Value value) const { return m_graph.type(value); }

    // One row of numbers for each row of the batch, for the result and for its targets.
    Result<Value> rowsOf(std::string_view name, Value value) {
        const graph::Shape& shape = type(value).shape;
        if (shape.rank() == 2) return value;
        const std::vector<std::int64_t> dims = {shape[0], shape.elements() / shape[0]};
        LS_TRY_ASSIGN(const auto id, m_graph.append(OpKind::Reshape, std::string(name), {value}, {{"shape", dims}}));
        return Value{id, 0};
    }

    Result<void> takeTargets() {
        const graph::TensorType given = type(m_result);
        if (!graph::isFloat(given.dtype) || given.shape.rank() < 2) return wrongResult("numbers for each row");
        if (m_inputs.labels) {
            if (given.shape.rank() == 2 && given.shape[1] == m_options.classes) return {};
            return wrongResult(fmt::format("[rows, {}]", m_options.classes));
        }
        const std::int64_t width = given.shape[0] == 0 ? 0 : given.shape.elements() / given.shape[0];
        const auto& widths = m_options.targetWidths;
        if (!widths.empty() && std::find(widths.begin(), widths.end(), width) == widths.end())
            return makeError("S403", {{"op", "logits"},
                                      {"what", fmt::format("the model gives {}, {} numbers for each row, and the data has {} as targets",
                                                           given.toText(), width, fmt::join(widths, " or "))}});
        LS_TRY_ASSIGN(const Value targets, m_graph.input("targets", given));
        LS_TRY_ASSIGN(m_targets, rowsOf("targets/rows", targets));
        LS_TRY_ASSIGN(m_rows, rowsOf("rows", m_result));
        return {};
    }

    Error wrongResult(const std::string& wanted) const {
        return makeError("S403", {{"op", "logits"},
                                  {"what", fmt::format("the model gives {}, but there are {} classes: it must give {}",
                                                       type(m_result).toText(), m_options.classes, wanted)}});
    }

    // What a metric of counts looks at: for AUC probabilities, as Keras' AUC(from_logits=True) and a softmax make them.
    Result<Value> countedValues(const std::string& output, const MetricOptions& metric) {
        const LossOptions& o = m_options.loss;
        const bool categorical = o.name == "categorical_crossentropy";
        const bool logits = o.fromLogits && (categorical || o.name == "binary_crossentropy") && !logitsBehind(m_graph, m_result);
        if (metric.name != "auc" || !logits) return m_rows;
        const std::string name = output + "/probabilities";
        LS_TRY_ASSIGN(const auto id, categorical ? m_graph.append(OpKind::Softmax, name, {m_rows})
                                                 : m_graph.append(OpKind::Activate, name, {m_rows}, {{"kind", std::string("sigmoid")}}));
        return Value{id, 0};
    }

    Result<Value> appendCounts(const std::string& output, const MetricOptions& metric) {
        graph::Attributes attributes = {{"kind", std::string("above")}, {"threshold", metric.threshold}};
        if (metric.topK > 0) attributes = {{"kind", std::string("top_k")}, {"k", metric.topK}};
        if (metric.name == "auc") attributes = {{"kind", std::string("even")}, {"buckets", static_cast<std::int64_t>(sumsOf(metric) / 2)}};
        LS_TRY_ASSIGN(const Value values, countedValues(output, metric));
        return append(OpKind::ConfusionCounts, output, values, m_targets, std::move(attributes));
    }

    Result<Value> append(OpKind op, const std::string& name, Value prediction, Value target, graph::Attributes attributes) {
        LS_TRY_ASSIGN(const auto id, m_graph.append(op, name, {prediction, target, m_inputs.weights}, std::move(attributes)));
        return Value{id, 0};
    }

    Result<Value> appendLoss() {
        const LossOptions& o = m_options.loss;
        if (o.name == "mean_squared_error") return regression("loss", "mse");
        if (o.name == "mean_absolute_error") return regression("loss", "mae");
        if (o.name == "huber") return regression("loss", "huber");
        const auto behind = o.fromLogits ? std::nullopt : logitsBehind(m_graph, m_result);
        graph::Attributes attributes;
        if (o.labelSmoothing != 0) attributes.emplace("label_smoothing", o.labelSmoothing);
        if (!o.fromLogits && !behind) attributes.emplace("from_logits", std::int64_t{0});
        const Value prediction = behind.value_or(m_result);
        if (m_inputs.labels) return append(OpKind::SoftmaxCrossEntropy, "loss", prediction, *m_inputs.labels, std::move(attributes));
        LS_TRY_ASSIGN(const Value rows, rowsOf("loss/rows", prediction));
        if (o.name == "binary_crossentropy") return append(OpKind::BinaryCrossEntropy, "loss", rows, m_targets, std::move(attributes));
        if (type(m_result).shape.rank() != 2) return wrongResult("[rows, classes]");
        return append(OpKind::CategoricalCrossEntropy, "loss", rows, m_targets, std::move(attributes));
    }

    Result<Value> regression(const std::string& name, const std::string& kind) {
        graph::Attributes attributes = {{"kind", kind}};
        if (kind == "huber") attributes.emplace("delta", m_options.loss.delta);
        return append(OpKind::RegressionLoss, name, m_rows, m_targets, std::move(attributes));
    }

    // Keras resolves "accuracy" by the shapes.
    std::string resolved(const std::string& metric) const {
        if (metric != "accuracy") return metric;
        if (type(m_result).shape.back() == 1) return "binary_accuracy";
        return m_inputs.labels ? "sparse_categorical_accuracy" : "categorical_accuracy";
    }

    Result<Value> appendMetric(const std::string& output, const MetricOptions& metric) {
        const std::string name = resolved(metric.name);
        const bool topK = name == "top_k_categorical_accuracy" || name == "sparse_top_k_categorical_accuracy";
        if (m_inputs.labels) {
            if (name == "sparse_categorical_accuracy" || name == "categorical_accuracy")
                return append(OpKind::CorrectPredictions, output, m_result, *m_inputs.labels, {});
            if (topK) return append(OpKind::TopKCorrect, output, m_result, *m_inputs.labels, {{"k", metric.k}});
            return refused(fmt::format("metric {} needs targets of the shape of the model's result, and the loss {} has labels", name,
                                       m_options.loss.name));
        }
        if (isCounted(name)) return appendCounts(output, metric);
        if (name == "categorical_accuracy") return append(OpKind::CategoricalCorrect, output, m_rows, m_targets, {});
        if (name == "binary_accuracy") return append(OpKind::BinaryCorrect, output, m_rows, m_targets, {{"threshold", metric.threshold}});
        if (name == "mean_squared_error") return regression(output, "mse");
        if (name == "mean_absolute_error") return regression(output, "mae");
        return refused(fmt::format("metric {} needs labels, and the loss {} has targets", name, m_options.loss.name));
    }

    graph::Graph& m_graph;
    const ModelOptions& m_options;
    Value m_result;
    const LossInputs& m_inputs;
    Value m_targets;
    Value m_rows;
};

}  // namespace

TargetKind targetsOf(const LossOptions& options) {
    const bool labels =
        options.name == "sparse_categorical_crossentropy" || (options.name == "categorical_crossentropy" && options.labelTargets);
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
    if (o.topK < 0) return refused(fmt::format("top_k is {}, but must be 1 or more", o.topK));
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
    for (const MetricOptions& metric : options.metrics) LS_TRY(checkMetric(metric));
    return Head(builder, options, result, inputs).build();
}

}  // namespace lockstep::nn
