#include <train/inference.h>

#include "evaluation.h"
#include "states.h"

#include <comm/group.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace lockstep::train {
namespace {

constexpr std::string_view kResult = "logits";

std::string describe(const graph::TensorType& type) { return std::string(graph::nameOf(type.dtype)) + " " + type.shape.toText(); }

// What the States of a forward pass are in the checkpoint, found by name: slots and what is kept beside are not asked for.
Result<void> writeWeights(const graph::Graph& graph, exec::Program& program, const Checkpoint& checkpoint, const std::string& name) {
    const auto misfit = [&](const std::string& what) { return makeError("C703", {{"checkpoint", name}, {"what", what}}); };
    const auto states = graph.nodesOf(graph::OpKind::State);
    for (std::size_t i = 0; i < states.size(); ++i) {
        const graph::Node& node = graph.node(states[i]);
        const auto found = std::ranges::find(checkpoint.tensors, node.name, &StateTensor::name);
        if (found == checkpoint.tensors.end()) return misfit("it has no " + node.name + ", and the model has");
        if (found->type != node.outputs[0])
            return misfit("its " + node.name + " is " + describe(found->type) + ", the model's " + describe(node.outputs[0]));
        program.writeState(i, found->bytes);
    }
    const auto isWeight = [](const StateTensor& tensor) { return tensor.role != "slot"; };
    const auto weights = static_cast<std::size_t>(std::ranges::count_if(checkpoint.tensors, isWeight));
    if (weights == states.size()) return {};
    return misfit("it has " + std::to_string(weights) + " weights, the model " + std::to_string(states.size()));
}

// A softmax or sigmoid at the end of the model has made probabilities already, whatever the loss was told.
bool endsIn(const graph::Graph& graph, const std::string& activation) {
    const graph::Node* node = &graph.node(graph.outputs().find(kResult)->second.node);
    if (node->op == graph::OpKind::Cast) node = &graph.node(node->inputs[0].node);
    if (activation == "softmax") return node->op == graph::OpKind::Softmax;
    return node->op == graph::OpKind::Activate && graph::textAttribute(node->attributes, "kind") == activation;
}

ResultForm formOf(const nn::LossOptions& loss, const graph::Graph& graph) {
    const bool classes = loss.name == "sparse_categorical_crossentropy" || loss.name == "categorical_crossentropy";
    if (!classes && loss.name != "binary_crossentropy") return {};
    ResultForm form{classes ? ResultKind::Classes : ResultKind::YesOrNo, classes ? "softmax" : "sigmoid"};
    if (!loss.fromLogits || endsIn(graph, form.activation)) form.activation.clear();
    return form;
}

RankOptions rankOptions(const InferenceOptions& options) {
    RankOptions rank;
    rank.model = options.model;
    rank.dtype = options.dtype;
    rank.data.normalise = options.normalise;
    return rank;
}

std::int64_t productOf(const std::vector<std::int64_t>& shape) {
    return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

}  // namespace

void applyActivation(const ResultForm& form, std::span<float> row) {
    if (form.activation == "sigmoid")
        for (float& value : row) value = static_cast<float>(1 / (1 + std::exp(-static_cast<double>(value))));
    if (form.activation != "softmax" || row.empty()) return;
    const auto most = static_cast<double>(*std::ranges::max_element(row));
    double sum = 0;
    for (const float value : row) sum += std::exp(static_cast<double>(value) - most);
    for (float& value : row) value = static_cast<float>(std::exp(static_cast<double>(value) - most) / sum);
}

struct Inference::Parts {
    RankOptions options;
    StepProgram step;  // only its evaluation
    std::unique_ptr<comm::Group> group = comm::makeSingleGroup();
    graph::TensorType result;
    ResultForm form;
    std::vector<float> values;  // of the batch's results

    const EvaluationProgram& forward() const { return *step.evaluation; }
    Result<void> checkShape(const data::Split& rows) const;
    Result<void> checkTargets(const data::Split& rows) const;
};

Result<void> Inference::Parts::checkShape(const data::Split& rows) const {
    if (rows.rowElements() != productOf(options.model.inputShape))
        return makeError("S414",
                         {{"model", graph::Shape(options.model.inputShape).toText()}, {"data", graph::Shape(rows.featureShape).toText()}});
    return data::checkTransform(rows.featureShape, rows.element, {{}, options.data.normalise, options.seed});
}

// Everything that is written into the program's buffers by its value.
Result<void> Inference::Parts::checkTargets(const data::Split& rows) const {
    const std::int64_t width = targetWidthOf(forward().graph);
    if (width == 0 && rows.labels.empty()) return makeError("F629", {{"what", "numbers as targets"}, {"needed", "classes"}});
    if (rows.labels.empty() && rows.targetWidth != width)
        return makeError("F629", {{"what", std::to_string(rows.targetWidth) + " numbers for each row"}, {"needed", std::to_string(width)}});
    const std::int64_t classes = width > 1 ? width : options.model.classes;
    const bool asNumber = width == 1;
    const auto isNone = [&](std::int32_t label) { return label < 0 || (!asNumber && label >= classes); };
    const auto bad = std::ranges::find_if(rows.labels, isNone);
    if (bad == rows.labels.end()) return {};
    return makeError("F629", {{"what", "class " + std::to_string(*bad) + " in row " + std::to_string(bad - rows.labels.begin())},
                              {"needed", "classes below " + std::to_string(classes)}});
}

Inference::Inference(std::unique_ptr<Parts> parts) : m(std::move(parts)) {}
Inference::Inference(Inference&&) noexcept = default;
Inference& Inference::operator=(Inference&&) noexcept = default;
Inference::~Inference() = default;

Result<Inference> Inference::create(const InferenceOptions& options, std::int64_t rows, const Checkpoint& checkpoint,
                                    const std::string& name, exec::Executor& executor) {
    auto parts = std::make_unique<Parts>();
    parts->options = rankOptions(options);
    const std::int64_t batches = (std::max<std::int64_t>(rows, 1) + options.rowsAtOnce - 1) / options.rowsAtOnce;
    LS_TRY_ASSIGN(EvaluationProgram forward, buildEvaluation(parts->options, (std::max<std::int64_t>(rows, 1) + batches - 1) / batches));
    parts->result = forward.graph.type(forward.graph.outputs().find(kResult)->second);
    parts->form = formOf(options.model.loss, forward.graph);
    LS_TRY_ASSIGN(forward.program, executor.compile(forward.graph, options.compile));
    LS_TRY(writeWeights(forward.graph, *forward.program, checkpoint, name));
    parts->step.evaluation = std::move(forward);
    return Inference(std::move(parts));
}

Result<Evaluated> Inference::evaluate(const data::Split& rows, const Progress& progress) {
    LS_TRY(m->checkShape(rows));
    LS_TRY(m->checkTargets(rows));
    Evaluation evaluation(m->options, rows, m->step, *m->group);
    LS_TRY_ASSIGN(const Evaluation::Means means, evaluation.run(progress));
    Evaluated found{rows.rows, means.loss, {}};
    std::vector<nn::MetricOptions> metrics = m->options.model.metrics;
    if (metrics.empty()) metrics.emplace_back();
    for (std::size_t i = 0; i < metrics.size(); ++i)
        found.metrics.emplace_back(metrics[i].name, i == 0 ? means.accuracy : means.metrics[i - 1]);
    return found;
}

Result<void> Inference::predict(const data::Split& rows, const Take& take) {
    LS_TRY(m->checkShape(rows));
    data::Split bare = rows;
    bare.labels = {};
    bare.targets = {};
    bare.targetWidth = 0;
    Evaluation forward(m->options, bare, m->step, *m->group);
    return forward.results([&](std::int64_t first, std::int64_t count) -> Result<void> {
        const auto bytes = m->forward().program->output(kResult);
        const auto numbers = static_cast<std::size_t>(count * resultWidth());
        m->values.resize(numbers);
        if (m->result.dtype == graph::DType::F64)
            std::ranges::transform(std::span(reinterpret_cast<const double*>(bytes.data()), numbers), m->values.begin(),
                                   [](double value) { return static_cast<float>(value); });
        else
            std::ranges::copy(std::span(reinterpret_cast<const float*>(bytes.data()), numbers), m->values.begin());
        return take(first, count, m->values);
    });
}

ResultForm Inference::form() const { return m->form; }

std::vector<std::int64_t> Inference::resultShape() const {
    const auto& dims = m->result.shape.dims();
    return {dims.begin() + 1, dims.end()};
}

std::int64_t Inference::resultWidth() const { return productOf(resultShape()); }

std::int64_t Inference::rowsAtOnce() const { return m->forward().rows; }

}  // namespace lockstep::train
