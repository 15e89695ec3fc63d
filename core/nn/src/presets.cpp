#include <nn/presets.h>

#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lockstep::nn {
namespace {

LayerSpec dense(std::int64_t units, const char* activation = nullptr) {
    LayerSpec layer{"dense", {}, {{"units", units}}, {}};
    if (activation != nullptr) layer.settings.emplace("activation", std::string(activation));
    return layer;
}

LayerSpec conv(std::int64_t filters, std::int64_t size) {
    return {"conv2d", {}, {{"filters", filters}, {"kernel_size", size}, {"activation", std::string("relu")}}, {}};
}

LayerSpec plain(const char* kind) { return {kind, {}, {}, {}}; }

void addMlp(Architecture& model, std::int64_t classes) { model.layers = {plain("flatten"), dense(128, "relu"), dense(classes)}; }

void addCnn(Architecture& model, std::int64_t classes) {
    model.layers = {conv(32, 3), plain("max_pooling2d"), conv(64, 3), plain("max_pooling2d"), plain("flatten"), dense(classes)};
}

void addLenet5(Architecture& model, std::int64_t classes) {
    LayerSpec first = conv(6, 5);
    first.settings.emplace("padding", std::string("same"));
    model.layers = {
        first,         plain("max_pooling2d"), conv(16, 5), plain("max_pooling2d"), plain("flatten"), dense(120, "relu"), dense(84, "relu"),
        dense(classes)};
}

struct Preset {
    std::string_view name;
    void (*add)(Architecture& model, std::int64_t classes);
};
constexpr std::array kPresets = {Preset{"mlp", addMlp}, Preset{"lenet5", addLenet5}, Preset{"cnn", addCnn}};

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
