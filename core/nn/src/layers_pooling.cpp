#include "layer_row.h"

namespace lockstep::nn {

using graph::OpKind;
using graph::Value;

namespace {

constexpr std::string_view kPictures = "[rows, height, width, channels]";

Result<Value> pool(Layer& layer, OpKind op) {
    const LayerSettings& settings = layer.settings();
    LS_TRY(layer.needRank(layer.input(), 4, kPictures));
    const auto window = settings.pair("pool_size");
    const auto strides = settings.has("strides") ? settings.pair("strides") : window;
    return layer.append(op, "", {layer.input()}, {{"window", window}, {"strides", strides}, {"padding", settings.word("padding")}});
}

Result<Value> buildMaxPool2D(Layer& layer) { return pool(layer, OpKind::MaxPool2D); }

// Over the whole picture.
Result<Value> poolAll(Layer& layer, OpKind op) {
    const Value x = layer.input();
    LS_TRY(layer.needRank(x, 4, kPictures));
    const graph::Shape& shape = layer.shape(x);
    const std::vector<std::int64_t> window = {shape[1], shape[2]};
    const std::int64_t rows = shape[0], channels = shape[3];
    LS_TRY_ASSIGN(const Value pooled,
                  layer.append(op, "pool", {x}, {{"window", window}, {"strides", window}, {"padding", std::string("valid")}}));
    if (layer.settings().flag("keepdims")) return pooled;
    return layer.reshape("", pooled, {rows, channels});
}

Result<Value> buildGlobalMaxPool2D(Layer& layer) { return poolAll(layer, OpKind::MaxPool2D); }

constexpr SettingRow kPool[] = {
    {"pool_size", SettingKind::Pair, "[2, 2]", 1}, {"strides", SettingKind::Pair, "null", 1}, kPadding, kDataFormat};
constexpr SettingRow kGlobal[] = {{"keepdims", SettingKind::Flag, "false"}, kDataFormat};

constexpr LayerRow kRows[] = {
    {{"max_pooling2d", "MaxPooling2D", 1, 1, kPool}, buildMaxPool2D},
    {{"global_max_pooling2d", "GlobalMaxPooling2D", 1, 1, kGlobal}, buildGlobalMaxPool2D},
};

}  // namespace

std::span<const LayerRow> poolingLayers() { return kRows; }

}  // namespace lockstep::nn
