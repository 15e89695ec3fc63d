#include <nn/model.h>

#include "layer_row.h"
#include "losses.h"

#include <nn/precision.h>
#include <nn/presets.h>

namespace lockstep::nn {

using graph::DType;
using graph::Value;

namespace {

// The layers one after the other; gives the model's result.
Result<Value> addLayers(ModelBuilder& builder, const Architecture& architecture) {
    std::map<std::string, Value, std::less<>> results = {{std::string(kInputName), builder.input()}};
    for (const LayerSpec& spec : architecture.layers) {
        const LayerRow& row = *findRow(spec.kind);
        std::vector<Value> inputs;
        for (const std::string& name : spec.inputs) inputs.push_back(results.at(name));
        Layer layer(builder, row.info, spec);
        LS_TRY(layer.take(inputs));
        auto result = row.build(layer);
        if (!result.ok()) return withContext(std::move(result).error(), "building layer " + spec.name);
        results.emplace(spec.name, *result);
    }
    return results.at(architecture.output);
}

// The kernels of layers that say nothing of their own get the model's regularizer.
void regulariseKernels(Architecture& architecture, const ModelOptions& options) {
    if (options.kernelL1 == 0 && options.kernelL2 == 0) return;
    const Named regularizer{"l1_l2", {{"l1", options.kernelL1}, {"l2", options.kernelL2}}};
    for (LayerSpec& layer : architecture.layers) {
        for (const SettingRow& row : findLayer(layer.kind)->settings) {
            const bool kernel =
                row.name == "kernel_regularizer" || row.name == "depthwise_regularizer" || row.name == "pointwise_regularizer";
            if (kernel) layer.settings.emplace(row.name, regularizer);
        }
    }
}

}  // namespace

Result<Model> buildModel(const ModelOptions& options, std::int64_t rows, DType dtype, Phase phase) {
    Architecture given;
    if (options.architecture) {
        given = *options.architecture;
    } else {
        LS_TRY_ASSIGN(given, presetArchitecture(options.preset, options.inputShape, options.classes));
    }
    LS_TRY_ASSIGN(Architecture architecture, completed(given));
    if (!options.architecture && options.policy != kFloat32) keepOutputFloat32(architecture);
    regulariseKernels(architecture, options);
    LS_TRY_ASSIGN(ModelBuilder builder, ModelBuilder::create(architecture, rows, dtype, phase, options));
    LS_TRY_ASSIGN(const LossInputs inputs, addLossInputs(builder, options.loss));
    LS_TRY_ASSIGN(const Value last, addLayers(builder, architecture));
    // Losses and metrics are computed in float32 under every policy.
    LS_TRY_ASSIGN(const Value result, builder.cast(last, dtype));
    LS_TRY(addLoss(builder, options, result, inputs));
    return builder.take();
}

}  // namespace lockstep::nn
