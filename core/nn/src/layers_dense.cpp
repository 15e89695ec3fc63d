#include "layer_row.h"

namespace lockstep::nn {

using graph::OpKind;
using graph::Value;

namespace {

// On more than one feature axis Keras multiplies the last one.
Result<Value> buildDense(Layer& layer) {
    const Value x = layer.input();
    const std::vector<std::int64_t> dims = layer.shape(x).dims();
    LS_TRY(layer.needNumbers(x));
    if (dims.size() < 2) return layer.wrongInput(x, "[rows, features]");
    const std::int64_t units = layer.settings().integer("units");
    LS_TRY_ASSIGN(const Value kernel, layer.weight("kernel", {dims.back(), units}));
    const std::int64_t places = layer.shape(x).elements() / dims.back();
    LS_TRY_ASSIGN(const Value flat, layer.reshape("flat", x, {places, dims.back()}));
    LS_TRY_ASSIGN(Value y, layer.append(OpKind::MatMul, "matmul", {flat, kernel}));
    LS_TRY_ASSIGN(y, layer.finish(y));
    std::vector<std::int64_t> result = dims;
    result.back() = units;
    return layer.reshape("features", y, std::move(result));
}

constexpr SettingRow kDense[] = {{"units", SettingKind::Integer, "", 1},
                                 kActivation,
                                 kUseBias,
                                 kKernelInitializer,
                                 kBiasInitializer,
                                 kKernelRegularizer,
                                 kBiasRegularizer};

constexpr LayerRow kRows[] = {{{"dense", "Dense", 1, 1, kDense}, buildDense}};

}  // namespace

std::span<const LayerRow> denseLayers() { return kRows; }

}  // namespace lockstep::nn
