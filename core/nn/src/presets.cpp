#include <nn/presets.h>

#include "preset_layers.h"

#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lockstep::nn {
namespace {

LayerSpec activated(std::int64_t filters, std::int64_t size) {
    return with(convolution(filters, size), {{"activation", std::string("relu")}});
}

void addMlp(Architecture& model, std::int64_t classes) {
    LayerList list(model);
    list.plain("flatten");
    list.dense(128, "relu");
    list.dense(classes);
}

void addCnn(Architecture& model, std::int64_t classes) {
    LayerList list(model);
    for (const std::int64_t filters : {32, 64}) {
        list.add(activated(filters, 3));
        list.plain("max_pooling2d");
    }
    list.plain("flatten");
    list.dense(classes);
}

void addLenet5(Architecture& model, std::int64_t classes) {
    LayerList list(model);
    list.add(with(activated(6, 5), {{"padding", std::string("same")}}));
    list.plain("max_pooling2d");
    list.add(activated(16, 5));
    list.plain("max_pooling2d");
    list.plain("flatten");
    list.dense(120, "relu");
    list.dense(84, "relu");
    list.dense(classes);
}

struct Preset {
    std::string_view name;
    void (*add)(Architecture& model, std::int64_t classes);
};
constexpr std::array kPresets = {Preset{"mlp", addMlp},
                                 Preset{"lenet5", addLenet5},
                                 Preset{"cnn", addCnn},
                                 Preset{"resnet20", addResnet20},
                                 Preset{"resnet50", addResnet50},
                                 Preset{"mobilenet", addMobilenet},
                                 Preset{"transformer_classifier", addTransformerClassifier}};

}  // namespace

std::vector<std::string> presetNames() {
    std::vector<std::string> names;
    for (const Preset& preset : kPresets) names.emplace_back(preset.name);
    return names;
}

Result<Architecture> presetArchitecture(const std::string& preset, const std::vector<std::int64_t>& inputShape, int classes) {
    for (const Preset& row : kPresets) {
        if (row.name != preset) continue;
        Architecture model;
        model.inputShape = inputShape;
        row.add(model, classes);
        return model;
    }
    return makeError("S410", {{"preset", preset}, {"known", fmt::format("{}", fmt::join(presetNames(), ", "))}});
}

}  // namespace lockstep::nn
