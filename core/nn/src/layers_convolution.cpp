#include "layer_row.h"

#include <fmt/format.h>

namespace lockstep::nn {

using graph::OpKind;
using graph::Value;

namespace {

constexpr std::string_view kPictures = "[rows, height, width, channels]";
using Pair = std::vector<std::int64_t>;

bool isOne(const Pair& pair) { return pair[0] == 1 && pair[1] == 1; }

// Attributes of the layer's convolution; those at their defaults are left out.
Result<graph::Attributes> windowOf(const Layer& layer, std::int64_t groups) {
    const Pair strides = layer.settings().pair("strides"), dilations = layer.settings().pair("dilation_rate");
    if (!isOne(strides) && !isOne(dilations)) return layer.wrong("strides and dilation_rate can't both be above 1");
    graph::Attributes attributes = {{"strides", strides}, {"padding", layer.settings().word("padding")}};
    if (!isOne(dilations)) attributes.emplace("dilations", dilations);
    if (groups != 1) attributes.emplace("groups", groups);
    return attributes;
}

Result<Value> buildConv2D(Layer& layer) {
    const LayerSettings& settings = layer.settings();
    const Value x = layer.input();
    LS_TRY(layer.needRank(x, 4, kPictures));
    const Pair size = settings.pair("kernel_size");
    const std::int64_t filters = settings.integer("filters"), groups = settings.integer("groups"), channels = layer.shape(x)[3];
    if (channels % groups != 0) {
        return layer.wrong(
            fmt::format("its input {} has {} channels (axis 3), which {} groups don't divide", layer.type(x).toText(), channels, groups));
    }
    if (filters % groups != 0) return layer.wrong(fmt::format("{} groups don't divide its {} filters", groups, filters));
    LS_TRY_ASSIGN(graph::Attributes window, windowOf(layer, groups));
    LS_TRY_ASSIGN(const Value kernel, layer.weight("kernel", {size[0], size[1], channels / groups, filters}));
    LS_TRY_ASSIGN(const Value y, layer.append(OpKind::Conv2D, "conv2d", {x, kernel}, std::move(window)));
    return layer.finish(y);
}

// Each channel by filters of its own. `weight`: "kernel" or "depthwise_kernel", initialised by "depthwise_initializer".
Result<Value> depthwise(Layer& layer, std::string_view weight) {
    const Value x = layer.input();
    LS_TRY(layer.needRank(x, 4, kPictures));
    const Pair size = layer.settings().pair("kernel_size");
    const std::int64_t channels = layer.shape(x)[3], multiplier = layer.settings().integer("depth_multiplier");
    LS_TRY_ASSIGN(graph::Attributes window, windowOf(layer, channels));
    LS_TRY_ASSIGN(const Value kernel, layer.weight(weight, {size[0], size[1], channels, multiplier}, "depthwise"));
    LS_TRY_ASSIGN(const Value filters, layer.reshape("filters", kernel, {size[0], size[1], 1, channels * multiplier}));
    return layer.append(OpKind::Conv2D, "depthwise", {x, filters}, std::move(window));
}

Result<Value> buildDepthwiseConv2D(Layer& layer) {
    LS_TRY_ASSIGN(const Value y, depthwise(layer, "kernel"));
    return layer.finish(y);
}

Result<Value> buildSeparableConv2D(Layer& layer) {
    LS_TRY_ASSIGN(const Value y, depthwise(layer, "depthwise_kernel"));
    const std::int64_t channels = layer.shape(y)[3], filters = layer.settings().integer("filters");
    LS_TRY_ASSIGN(const Value kernel, layer.weight("pointwise_kernel", {1, 1, channels, filters}, "pointwise"));
    LS_TRY_ASSIGN(const Value z,
                  layer.append(OpKind::Conv2D, "pointwise", {y, kernel}, {{"strides", Pair{1, 1}}, {"padding", std::string("valid")}}));
    return layer.finish(z);
}

constexpr SettingRow kFilters{"filters", SettingKind::Integer, "", 1};
constexpr SettingRow kKernelSize{"kernel_size", SettingKind::Pair, "", 1};
constexpr SettingRow kStrides{"strides", SettingKind::Pair, "[1, 1]", 1};
constexpr SettingRow kDilation{"dilation_rate", SettingKind::Pair, "[1, 1]", 1};
constexpr SettingRow kGroups{"groups", SettingKind::Integer, "1", 1};
constexpr SettingRow kMultiplier{"depth_multiplier", SettingKind::Integer, "1", 1};
constexpr SettingRow kDepthwiseInitializer{"depthwise_initializer", SettingKind::Initializer, "glorot_uniform"};
constexpr SettingRow kPointwiseInitializer{"pointwise_initializer", SettingKind::Initializer, "glorot_uniform"};
constexpr SettingRow kDepthwiseRegularizer{"depthwise_regularizer", SettingKind::Regularizer, "null"};
constexpr SettingRow kPointwiseRegularizer{"pointwise_regularizer", SettingKind::Regularizer, "null"};

constexpr SettingRow kConv2D[] = {kFilters,        kKernelSize, kStrides, kPadding,           kDataFormat,      kDilation,
                                  kGroups,         kActivation, kUseBias, kKernelInitializer, kBiasInitializer, kKernelRegularizer,
                                  kBiasRegularizer};
constexpr SettingRow kDepthwise[] = {kKernelSize,
                                     kStrides,
                                     kPadding,
                                     kMultiplier,
                                     kDataFormat,
                                     kDilation,
                                     kActivation,
                                     kUseBias,
                                     kDepthwiseInitializer,
                                     kBiasInitializer,
                                     kDepthwiseRegularizer,
                                     kBiasRegularizer};
constexpr SettingRow kSeparable[] = {kFilters,
                                     kKernelSize,
                                     kStrides,
                                     kPadding,
                                     kDataFormat,
                                     kDilation,
                                     kMultiplier,
                                     kActivation,
                                     kUseBias,
                                     kDepthwiseInitializer,
                                     kPointwiseInitializer,
                                     kBiasInitializer,
                                     kDepthwiseRegularizer,
                                     kPointwiseRegularizer,
                                     kBiasRegularizer};

constexpr LayerRow kRows[] = {
    {{"conv2d", "Conv2D", 1, 1, kConv2D}, buildConv2D},
    {{"depthwise_conv2d", "DepthwiseConv2D", 1, 1, kDepthwise}, buildDepthwiseConv2D},
    {{"separable_conv2d", "SeparableConv2D", 1, 1, kSeparable}, buildSeparableConv2D},
};

}  // namespace

std::span<const LayerRow> convolutionLayers() { return kRows; }

}  // namespace lockstep::nn
