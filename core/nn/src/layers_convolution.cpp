#include "layer_row.h"

namespace lockstep::nn {

using graph::OpKind;
using graph::Value;

namespace {

constexpr std::string_view kPictures = "[rows, height, width, channels]";

Result<Value> buildConv2D(Layer& layer) {
    const LayerSettings& settings = layer.settings();
    const Value x = layer.input();
    LS_TRY(layer.needRank(x, 4, kPictures));
    const auto size = settings.pair("kernel_size");
    const std::int64_t filters = settings.integer("filters");
    LS_TRY_ASSIGN(const Value kernel, layer.weight("kernel", {size[0], size[1], layer.shape(x)[3], filters}));
    LS_TRY_ASSIGN(const Value y, layer.append(OpKind::Conv2D, "conv2d", {x, kernel},
                                              {{"strides", settings.pair("strides")}, {"padding", settings.word("padding")}}));
    return layer.finish(y);
}

constexpr SettingRow kStrides{"strides", SettingKind::Pair, "[1, 1]", 1};
constexpr SettingRow kKernelSize{"kernel_size", SettingKind::Pair, "", 1};

constexpr SettingRow kConv2D[] = {{"filters", SettingKind::Integer, "", 1},
                                  kKernelSize,
                                  kStrides,
                                  kPadding,
                                  kDataFormat,
                                  kActivation,
                                  kUseBias,
                                  kKernelInitializer,
                                  kBiasInitializer,
                                  kKernelRegularizer,
                                  kBiasRegularizer};

constexpr LayerRow kRows[] = {{{"conv2d", "Conv2D", 1, 1, kConv2D}, buildConv2D}};

}  // namespace

std::span<const LayerRow> convolutionLayers() { return kRows; }

}  // namespace lockstep::nn
