#include "layer_row.h"

#include <fmt/format.h>

namespace lockstep::nn {

using graph::OpKind;
using graph::Value;

namespace {

// Nothing to do on one feature axis.
Result<Value> buildFlatten(Layer& layer) {
    const graph::Shape& shape = layer.shape(layer.input());
    return layer.reshape("", layer.input(), {shape[0], shape.elements() / shape[0]});
}

Result<Value> buildReshape(Layer& layer) {
    const graph::Shape shape = layer.shape(layer.input());
    const std::int64_t features = shape.elements() / shape[0];
    std::vector<std::int64_t> dims = layer.settings().integers("target_shape");
    std::int64_t known = 1;
    std::int64_t* open = nullptr;
    for (std::int64_t& dim : dims) {
        if (dim == 0 || (dim == -1 && open != nullptr)) return layer.wrong("target_shape has a 0 or two axes of -1");
        if (dim == -1)
            open = &dim;
        else if (dim > features)
            known = features + 1;
        else
            known *= dim;
        if (known > features) break;
    }
    if (open != nullptr && known <= features && features % known == 0) *open = features / known;
    const graph::Shape target(dims);
    if (known > features || target.elements() != features) {
        return layer.wrong(fmt::format("target_shape is {}, but its input {} has {} features in each row", target.toText(),
                                       layer.type(layer.input()).toText(), features));
    }
    dims.insert(dims.begin(), shape[0]);
    return layer.reshape("", layer.input(), std::move(dims));
}

Result<Value> buildZeroPadding2D(Layer& layer) {
    LS_TRY(layer.needRank(layer.input(), 4, "[rows, height, width, channels]"));
    const auto [top, bottom, left, right] = layer.settings().margins("padding");
    return layer.append(
        OpKind::Pad, "", {layer.input()},
        {{"before", std::vector<std::int64_t>{0, top, left, 0}}, {"after", std::vector<std::int64_t>{0, bottom, right, 0}}});
}

constexpr SettingRow kFlatten[] = {kDataFormat};
constexpr SettingRow kReshape[] = {{"target_shape", SettingKind::Integers, "", -1}};

constexpr SettingRow kZeroPadding[] = {{"padding", SettingKind::Margins, "[1, 1]", 0, 1e6}, kDataFormat};

constexpr LayerRow kRows[] = {
    {{"flatten", "Flatten", 1, 1, kFlatten}, buildFlatten},
    {{"zero_padding2d", "ZeroPadding2D", 1, 1, kZeroPadding}, buildZeroPadding2D},
    {{"reshape", "Reshape", 1, 1, kReshape}, buildReshape},
};

}  // namespace

std::span<const LayerRow> shapeLayers() { return kRows; }

}  // namespace lockstep::nn
