#include <nn/model.h>

#include "layer_row.h"

#include <nn/presets.h>

#include <fmt/format.h>

namespace lockstep::nn {

using graph::DType;
using graph::OpKind;
using graph::Value;

namespace {

// The layers one after the other; gives the model's result.
Result<Value> addLayers(ModelBuilder& builder, const Architecture& architecture) {
    std::map<std::string, Value, std::less<>> results = {{std::string(kInputName), builder.input()}};
    for (const LayerSpec& spec : architecture.layers) {
        const LayerRow& row = *findRow(spec.kind);
        std::vector<Value> inputs;
        for (const std::string& name : spec.inputs) inputs.push_back(results.at(name));
        Layer layer(builder, row.info, spec, std::move(inputs));
        auto result = row.build(layer);
        if (!result.ok()) return withContext(std::move(result).error(), "building layer " + spec.name);
        results.emplace(spec.name, *result);
    }
    return results.at(architecture.output);
}

// Scores of the classes: one number per row and class.
Result<void> addLoss(graph::Graph& graph, Value logits, Value labels, Value weights, int classes) {
    const graph::TensorType& type = graph.type(logits);
    if (type.shape.rank() != 2 || type.shape[1] != classes) {
        return makeError("S403", {{"op", "logits"},
                                  {"what", fmt::format("the model gives {}, but there are {} classes: it must give [rows, {}]",
                                                       type.toText(), classes, classes)}});
    }
    LS_TRY_ASSIGN(const auto loss, graph.append(OpKind::SoftmaxCrossEntropy, "loss", {logits, labels, weights}));
    LS_TRY_ASSIGN(const auto correct, graph.append(OpKind::CorrectPredictions, "correct", {logits, labels, weights}));
    graph.setOutput("logits", logits);
    graph.setOutput("loss", {loss, 0});
    graph.setOutput("correct", {correct, 0});
    return {};
}

}  // namespace

Result<Model> buildModel(const ModelOptions& options, std::int64_t rows, DType dtype, Phase phase) {
    Architecture given;
    if (options.architecture) {
        given = *options.architecture;
    } else {
        LS_TRY_ASSIGN(given, presetArchitecture(options.preset, options.inputShape, options.classes));
    }
    LS_TRY_ASSIGN(const Architecture architecture, completed(given));
    LS_TRY_ASSIGN(ModelBuilder builder, ModelBuilder::create(architecture, rows, dtype, phase));
    LS_TRY_ASSIGN(const Value labels, builder.graph().input("labels", {DType::I32, graph::Shape{rows}}));
    LS_TRY_ASSIGN(const Value weights, builder.graph().input("weights", {dtype, graph::Shape{rows}}));
    LS_TRY_ASSIGN(const Value logits, addLayers(builder, architecture));
    LS_TRY(addLoss(builder.graph(), logits, labels, weights, options.classes));
    return builder.take();
}

}  // namespace lockstep::nn
