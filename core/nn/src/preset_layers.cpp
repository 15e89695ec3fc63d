#include "preset_layers.h"

#include <nn/layer_table.h>

namespace lockstep::nn {

std::string LayerList::add(LayerSpec layer) {
    // Named here as completed() would, so that later layers can refer to it.
    const std::string kind(findLayer(layer.kind)->kind);
    if (layer.name.empty()) {
        const int before = m_counts.emplace(kind, 0).first->second++;
        layer.name = before == 0 ? kind : kind + "_" + std::to_string(before);
    }
    m_model.layers.push_back(std::move(layer));
    return m_model.layers.back().name;
}

std::string LayerList::plain(const char* kind, std::vector<std::string> inputs, std::string name) {
    return add({kind, std::move(name), {}, std::move(inputs)});
}

std::string LayerList::dense(std::int64_t units, const char* activation, std::string name) {
    LayerSpec layer{"dense", std::move(name), {{"units", units}}, {}};
    if (activation != nullptr) layer.settings.emplace("activation", std::string(activation));
    return add(std::move(layer));
}

LayerSpec convolution(std::int64_t filters, std::int64_t size) { return {"conv2d", {}, {{"filters", filters}, {"kernel_size", size}}, {}}; }

LayerSpec with(LayerSpec layer, Settings settings) {
    layer.settings.merge(settings);
    return layer;
}

}  // namespace lockstep::nn
