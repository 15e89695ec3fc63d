#include <nn/model.h>

#include "layer_stack.h"

#include <array>
#include <string_view>

namespace lockstep::nn {
namespace {

Result<void> addMlp(LayerStack& stack, int classes) {
    LS_TRY(stack.flatten());
    LS_TRY(stack.dense(128, Activation::Relu));
    return stack.dense(classes, Activation::Linear);
}

Result<void> addCnn(LayerStack& stack, int classes) {
    LS_TRY(stack.conv2d(32, 3, Activation::Relu));
    LS_TRY(stack.maxPool2d(2));
    LS_TRY(stack.conv2d(64, 3, Activation::Relu));
    LS_TRY(stack.maxPool2d(2));
    LS_TRY(stack.flatten());
    return stack.dense(classes, Activation::Linear);
}

struct Preset {
    std::string_view name;
    Result<void> (*add)(LayerStack& stack, int classes);
};
constexpr std::array<Preset, 2> kPresets{{{"mlp", addMlp}, {"cnn", addCnn}}};

}  // namespace

Result<Model> buildModel(const ModelOptions& options, std::int64_t rows, graph::DType dtype) {
    for (const Preset& preset : kPresets) {
        if (preset.name != options.preset) continue;
        LS_TRY_ASSIGN(LayerStack stack, LayerStack::create(options, rows, dtype));
        LS_TRY(preset.add(stack, options.classes));
        return stack.finish(options.classes);
    }
    return makeError("S410", {{"preset", options.preset}});
}

}  // namespace lockstep::nn
