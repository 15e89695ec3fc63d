// Short words for the layers that presets are made of.
#pragma once

#include <nn/architecture.h>

namespace lockstep::nn {

class LayerList {
public:
    explicit LayerList(Architecture& model) : m_model(model) {}

    // Appends a layer that reads `inputs` (the layer before when there are none). Gives its name.
    std::string add(LayerSpec layer);
    std::string plain(const char* kind, std::vector<std::string> inputs = {}, std::string name = {});
    std::string dense(std::int64_t units, const char* activation = nullptr, std::string name = {});

private:
    Architecture& m_model;
    std::map<std::string, int, std::less<>> m_counts;
};

// A square convolution; no padding, stride 1, no activation unless set on the result.
LayerSpec convolution(std::int64_t filters, std::int64_t size);
LayerSpec with(LayerSpec layer, Settings settings);

// One function per family of presets.
void addResnet20(Architecture& model, std::int64_t classes);
void addResnet50(Architecture& model, std::int64_t classes);
void addMobilenet(Architecture& model, std::int64_t classes);
void addTransformerClassifier(Architecture& model, std::int64_t classes);

}  // namespace lockstep::nn
