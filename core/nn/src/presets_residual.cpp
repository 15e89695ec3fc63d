// Residual networks: ResNet-20 for small pictures (He et al. 2015, section 4.2, with projections) and ResNet-50 as in
// keras.applications. The layers stand in the order of Keras' model.layers, so that weights do.
#include "preset_layers.h"

namespace lockstep::nn {
namespace {

class Resnet20 {
public:
    explicit Resnet20(Architecture& model) : m_list(model) {}

    void build(std::int64_t classes) {
        std::string x = normalised(convolve(16, 3, 1, {std::string(kInputName)}), true);
        for (const std::int64_t filters : {16, 32, 64})
            for (int block = 0; block < 3; ++block) x = residual(x, filters, block == 0 && filters != 16 ? 2 : 1);
        m_list.plain("global_average_pooling2d");
        m_list.dense(classes);
    }

private:
    std::string convolve(std::int64_t filters, std::int64_t size, std::int64_t stride, std::vector<std::string> inputs) {
        LayerSpec layer = with(convolution(filters, size),
                               {{"padding", std::string("same")}, {"use_bias", false}, {"kernel_initializer", std::string("he_normal")}});
        if (stride != 1) layer.settings.emplace("strides", stride);
        layer.inputs = std::move(inputs);
        return m_list.add(std::move(layer));
    }
    std::string normalised(const std::string& x, bool activated) {
        const std::string y = m_list.plain("batch_normalization", {x});
        return activated ? m_list.plain("re_lu", {y}) : y;
    }
    std::string residual(const std::string& x, std::int64_t filters, std::int64_t stride) {
        const std::string first = normalised(convolve(filters, 3, stride, {x}), true);
        if (stride == 1) {
            const std::string second = normalised(convolve(filters, 3, 1, {first}), false);
            return m_list.plain("re_lu", {m_list.plain("add", {x, second})});
        }
        const std::string projection = convolve(filters, 1, stride, {x}), second = convolve(filters, 3, 1, {first});
        const std::string shortcut = normalised(projection, false), y = normalised(second, false);
        return m_list.plain("re_lu", {m_list.plain("add", {shortcut, y})});
    }

    LayerList m_list;
};

class Resnet50 {
public:
    explicit Resnet50(Architecture& model) : m_list(model) {}

    void build(std::int64_t classes) {
        m_list.add({"zero_padding2d", "conv1_pad", {{"padding", std::int64_t{3}}}, {}});
        std::string x = convolve("conv1_conv", 64, 7, 2, "conv1_pad", "valid");
        x = m_list.plain("re_lu", {normalise("conv1_bn", x)}, "conv1_relu");
        m_list.add({"zero_padding2d", "pool1_pad", {{"padding", std::int64_t{1}}}, {}});
        x = m_list.add({"max_pooling2d", "pool1_pool", {{"pool_size", std::int64_t{3}}, {"strides", std::int64_t{2}}}, {}});
        const std::int64_t filters[] = {64, 128, 256, 512}, blocks[] = {3, 4, 6, 3};
        for (std::size_t stage = 0; stage < 4; ++stage) {
            for (std::int64_t block = 1; block <= blocks[stage]; ++block) {
                const std::string name = "conv" + std::to_string(stage + 2) + "_block" + std::to_string(block);
                x = residual(name, x, filters[stage], block == 1, stage > 0 && block == 1 ? 2 : 1);
            }
        }
        m_list.plain("global_average_pooling2d", {}, "avg_pool");
        m_list.dense(classes, nullptr, "predictions");
    }

private:
    std::string convolve(const std::string& name, std::int64_t filters, std::int64_t size, std::int64_t stride, const std::string& x,
                         const char* padding) {
        LayerSpec layer = with(convolution(filters, size), {{"padding", std::string(padding)}, {"strides", stride}});
        layer.name = name;
        layer.inputs = {x};
        return m_list.add(std::move(layer));
    }
    std::string normalise(const std::string& name, const std::string& x) {
        return m_list.add({"batch_normalization", name, {{"epsilon", 1.001e-5}}, {x}});
    }
    std::string activated(const std::string& name, const std::string& part, const std::string& x) {
        return m_list.plain("re_lu", {normalise(name + part + "_bn", x)}, name + part + "_relu");
    }
    std::string residual(const std::string& name, const std::string& x, std::int64_t filters, bool project, std::int64_t stride) {
        std::string y = activated(name, "_1", convolve(name + "_1_conv", filters, 1, stride, x, "valid"));
        y = activated(name, "_2", convolve(name + "_2_conv", filters, 3, 1, y, "same"));
        std::string shortcut = x;
        if (project) shortcut = convolve(name + "_0_conv", 4 * filters, 1, stride, x, "valid");
        y = convolve(name + "_3_conv", 4 * filters, 1, 1, y, "valid");
        if (project) shortcut = normalise(name + "_0_bn", shortcut);
        y = normalise(name + "_3_bn", y);
        return m_list.plain("re_lu", {m_list.plain("add", {shortcut, y}, name + "_add")}, name + "_out");
    }

    LayerList m_list;
};

}  // namespace

void addResnet20(Architecture& model, std::int64_t classes) { Resnet20(model).build(classes); }

void addResnet50(Architecture& model, std::int64_t classes) { Resnet50(model).build(classes); }

}  // namespace lockstep::nn
