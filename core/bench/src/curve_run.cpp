#include "curve_run.h"

#include <imports/keras_model.h>
#include <nn/precision.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lockstep::bench {
namespace {

constexpr int kClasses = 10;
constexpr std::int64_t kMnistFeatures = 784;

bool isKernelOwner(const nn::LayerSpec& layer) { return layer.kind == "dense" || layer.kind == "conv2d"; }

nn::Architecture regularised(nn::Architecture architecture, double l2) {
    if (l2 == 0) return architecture;
    for (nn::LayerSpec& layer : architecture.layers)
        if (isKernelOwner(layer)) layer.settings["kernel_regularizer"] = nn::Named{"l2", {{"l2", l2}}};
    return architecture;
}

// Which recorded rows the model takes.
Result<void> chooseRows(train::RankOptions& rank, const std::filesystem::path& mnist, std::size_t rows, std::size_t recorded) {
    const auto& shape = rank.model.inputShape;
    const std::int64_t features = std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
    if (features == kMnistFeatures) {
        rank.data.folder = mnist;
        rank.data.order = recordedRows(rows);
        return {};
    }
    auto pictures = std::make_shared<data::Dataset>();
    pictures->train = recordedPictures(static_cast<std::int64_t>(std::min(rows, recorded)));
    if (pictures->train.featureShape != shape)
        return makeError("X009", {{"what", "A curve of rows " + graph::Shape(shape).toText()},
                                  {"why", "Recorded rows are MNIST's (784 features) or pictures of 32 × 32 × 3."},
                                  {"next", "Record the curve of a model that takes these."}});
    pictures->classes = kClasses;
    rank.data.loaded = std::move(pictures);
    return {};
}

}  // namespace

Result<train::RankOptions> curveRun(const RecordedCurve& curve, const keras::KerasFile& weights, const std::string& weightsName,
                                    const std::filesystem::path& mnist, graph::DType dtype, std::size_t rows) {
    if (!nn::computeTypeOf(curve.policy))
        return makeError("X009", {{"what", "A curve of the policy " + curve.policy},
                                  {"why", "Weights are kept in float32 here."},
                                  {"next", fmt::format("Use a curve of {}.", fmt::join(nn::policyNames(), ", "))}});
    train::RankOptions rank;
    LS_TRY_ASSIGN(nn::Architecture architecture, imports::architectureOf(weights, weightsName));
    rank.model.architecture = regularised(std::move(architecture), curve.l2);
    rank.model.inputShape = rank.model.architecture->inputShape;
    rank.model.policy = curve.policy;
    if (curve.outputFloat32) nn::keepOutputFloat32(*rank.model.architecture);
    if (curve.labelSmoothing != 0) rank.model.loss.name = "categorical_crossentropy";
    rank.model.loss.labelSmoothing = curve.labelSmoothing;
    rank.optimizer = curve.optimizer;
    rank.optimizer.dynamicLossScale = curve.policy == nn::kMixedFloat16;
    rank.accumulation = curve.accumulation;
    rank.globalBatch = curve.batch;
    rank.epochs = 1;
    rank.dtype = dtype;
    rank.evaluate = false;
    rank.stopOnNan = false;
    rank.data.shuffle = false;
    LS_TRY(chooseRows(rank, mnist, rows, curve.losses.size() * static_cast<std::size_t>(curve.batch)));
    LS_TRY_ASSIGN(const nn::Model built, nn::buildModel(rank.model, 1, dtype));
    LS_TRY_ASSIGN(rank.initialWeights, imports::weightsOf(weights, built, dtype, weightsName));
    return rank;
}

}  // namespace lockstep::bench
