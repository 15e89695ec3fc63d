#include "layer_row.h"

namespace lockstep::nn {

using graph::OpKind;
using graph::Value;

namespace {

constexpr std::string_view kPictures = "[rows, height, width, channels]";
constexpr std::string_view kSequences = "[rows, places, features]";

Result<Value> pool(Layer& layer, OpKind op) {
    const LayerSettings& settings = layer.settings();
    LS_TRY(layer.needRank(layer.input(), 4, kPictures));
    const auto window = settings.pair("pool_size");
    const auto strides = settings.has("strides") ? settings.pair("strides") : window;
    return layer.append(op, "", {layer.input()}, {{"window", window}, {"strides", strides}, {"padding", settings.word("padding")}});
}

Result<Value> buildMaxPool2D(Layer& layer) { return pool(layer, OpKind::MaxPool2D); }
Result<Value> buildAveragePool2D(Layer& layer) { return pool(layer, OpKind::AvgPool2D); }

// Over all places of a picture or a sequence (a picture of one column).
Result<Value> poolAll(Layer& layer, OpKind op, std::size_t rank, std::string_view features) {
    LS_TRY(layer.needRank(layer.input(), rank, features));
    const std::vector<std::int64_t> dims = layer.shape(layer.input()).dims();
    const std::int64_t width = rank == 4 ? dims[2] : 1;
    const std::vector<std::int64_t> window = {dims[1], width};
    LS_TRY_ASSIGN(const Value x, layer.reshape("column", layer.input(), {dims[0], dims[1], width, dims.back()}));
    LS_TRY_ASSIGN(const Value pooled,
                  layer.append(op, "pool", {x}, {{"window", window}, {"strides", window}, {"padding", std::string("valid")}}));
    std::vector<std::int64_t> result(layer.settings().flag("keepdims") ? rank : 2, 1);
    result.front() = dims.front();
    result.back() = dims.back();
    return layer.reshape("", pooled, std::move(result));
}

Result<Value> buildGlobalMaxPool2D(Layer& layer) { return poolAll(layer, OpKind::MaxPool2D, 4, kPictures); }
Result<Value> buildGlobalAveragePool2D(Layer& layer) { return poolAll(layer, OpKind::AvgPool2D, 4, kPictures); }
Result<Value> buildGlobalMaxPool1D(Layer& layer) { return poolAll(layer, OpKind::MaxPool2D, 3, kSequences); }
Result<Value> buildGlobalAveragePool1D(Layer& layer) { return poolAll(layer, OpKind::AvgPool2D, 3, kSequences); }

constexpr SettingRow kPool[] = {
    {"pool_size", SettingKind::Pair, "[2, 2]", 1}, {"strides", SettingKind::Pair, "null", 1}, kPadding, kDataFormat};
constexpr SettingRow kGlobal[] = {{"keepdims", SettingKind::Flag, "false"}, kDataFormat};

constexpr LayerRow kRows[] = {
    {{"max_pooling2d", "MaxPooling2D", 1, 1, kPool}, buildMaxPool2D},
    {{"average_pooling2d", "AveragePooling2D", 1, 1, kPool}, buildAveragePool2D},
    {{"global_average_pooling1d", "GlobalAveragePooling1D", 1, 1, kGlobal}, buildGlobalAveragePool1D},
    {{"global_average_pooling2d", "GlobalAveragePooling2D", 1, 1, kGlobal}, buildGlobalAveragePool2D},
    {{"global_max_pooling1d", "GlobalMaxPooling1D", 1, 1, kGlobal}, buildGlobalMaxPool1D},
    {{"global_max_pooling2d", "GlobalMaxPooling2D", 1, 1, kGlobal}, buildGlobalMaxPool2D},
};

}  // namespace

std::span<const LayerRow> poolingLayers() { return kRows; }

}  // namespace lockstep::nn
