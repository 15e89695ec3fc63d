#include <data/dataset.h>

#include "reading.h"
#include "source.h"

#include <base/units.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <string_view>

namespace lockstep::data {
namespace {

using Open = Result<std::unique_ptr<Source>> (*)(const LoadOptions&);
struct Decoded {
    std::string_view name;
    Open open;
};
constexpr std::array<Decoded, 6> kDecoded = {{{"cifar10", openCifar},
                                              {"cifar100", openCifar},
                                              {"npy", openNpyFiles},
                                              {"csv", openCsvFiles},
                                              {"image_folder", openImageFolder},
                                              {"tfrecord", openTfRecords}}};

bool isIdx(const LoadOptions& options) { return options.dataset == "mnist" || options.dataset == "idx"; }

Result<Dataset> loadWhole(const LoadOptions& options) {
    if (isIdx(options)) return loadIdx(options);
    if (options.dataset == "synthetic") return makeSynthetic(options);
    if (options.dataset == "npy") {
        LS_TRY_ASSIGN(auto mapped, mapNpyFiles(options));
        if (mapped) return std::move(*mapped);
    }
    LS_TRY_ASSIGN(const auto source, openSource(options));
    return loadDecoded(options, *source);
}

Result<DatasetFacts> readWhole(const LoadOptions& options) {
    if (isIdx(options)) return readIdxFacts(options);
    if (options.dataset == "synthetic") return syntheticFacts(options);
    LS_TRY_ASSIGN(const auto source, openSource(options));
    if (const auto known = readDecodedFacts(options, *source)) return *known;
    LS_TRY_ASSIGN(auto found, source->facts());
    return std::move(found.facts);
}

// Rows that are left for training: Keras' floor(rows · (1 - fraction)).
Result<std::int64_t> splitAt(std::int64_t rows, double fraction) {
    const auto left = static_cast<std::int64_t>(std::floor(static_cast<double>(rows) * (1.0 - fraction)));
    if (left > 0 && left < rows) return left;
    return makeError(
        "F625", {{"fraction", formatDouble(fraction)}, {"rows", std::to_string(rows)}, {"part", left > 0 ? "validation" : "training"}});
}

Result<void> checkClasses(const Split& split, int classes, const std::string& name) {
    const auto bad =
        std::find_if(split.labels.begin(), split.labels.end(), [&](std::int32_t label) { return label < 0 || label >= classes; });
    if (bad == split.labels.end()) return {};
    const auto row = bad - split.labels.begin();
    return makeError("F613", {{"file", name},
                              {"row", std::to_string(row)},
                              {"offset", std::to_string(row * 4)},
                              {"label", std::to_string(*bad)},
                              {"classes", std::to_string(classes)}});
}

}  // namespace

std::int64_t Split::rowElements() const {
    return std::accumulate(featureShape.begin(), featureShape.end(), std::int64_t{1}, std::multiplies<>());
}

Split Split::part(std::int64_t first, std::int64_t count) const {
    Split made = *this;
    const auto rowBytes = static_cast<std::size_t>(rowElements()) * sizeOf(element);
    const auto from = static_cast<std::size_t>(first), many = static_cast<std::size_t>(count);
    made.rows = count;
    made.features = features.subspan(from * rowBytes, many * rowBytes);
    if (!labels.empty()) made.labels = labels.subspan(from, many);
    const auto width = static_cast<std::size_t>(targetWidth);
    if (!targets.empty()) made.targets = targets.subspan(from * width, many * width);
    return made;
}

Result<std::unique_ptr<Source>> openSource(const LoadOptions& options) {
    for (const Decoded& one : kDecoded)
        if (one.name == options.dataset) return one.open(options);
    return makeError("F617", {{"dataset", options.dataset}});
}

Result<Dataset> loadDataset(const LoadOptions& options) {
    LS_TRY_ASSIGN(Dataset dataset, loadWhole(options));
    if (options.classes && !dataset.train.labels.empty()) {
        dataset.classes = *options.classes;
        LS_TRY(checkClasses(dataset.train, dataset.classes, options.dataset + " (training)"));
        LS_TRY(checkClasses(dataset.validation, dataset.classes, options.dataset + " (validation)"));
    }
    if (options.validationSplit > 0) {
        const Split whole = dataset.train;
        LS_TRY_ASSIGN(const std::int64_t left, splitAt(whole.rows, options.validationSplit));
        dataset.train = whole.part(0, left);
        dataset.validation = whole.part(left, whole.rows - left);
    }
    return dataset;
}

Result<DatasetFacts> readDatasetFacts(const LoadOptions& options) {
    LS_TRY_ASSIGN(DatasetFacts facts, readWhole(options));
    if (options.classes && facts.classes > 0) facts.classes = *options.classes;
    if (options.validationSplit > 0) {
        LS_TRY_ASSIGN(const std::int64_t left, splitAt(facts.rows, options.validationSplit));
        facts.validationRows = facts.rows - left;
        facts.rows = left;
    }
    return facts;
}

Result<std::int32_t> toClass(double value, const std::filesystem::path& file, std::int64_t row, std::uint64_t offset) {
    if (value >= 0 && value < 1e6 && value == std::floor(value)) return static_cast<std::int32_t>(value);
    return makeError(
        "F627",
        {{"file", file.string()}, {"row", std::to_string(row)}, {"offset", std::to_string(offset)}, {"found", formatDouble(value)}});
}

Error changedWhileRead(const std::filesystem::path& file) {
    return makeError("F603", {{"file", file.string()}, {"reason", "it was changed while it was read"}});
}

Result<std::vector<std::int64_t>> shapeFor(const LoadOptions& options, std::int64_t elements, std::vector<std::int64_t> fallback,
                                           const std::filesystem::path& file, std::uint64_t offset) {
    if (options.shape.empty()) return fallback;
    const auto asked = boundedProduct(options.shape, 1, kMostValueBytes);
    if (asked && *asked == static_cast<std::uint64_t>(elements)) return options.shape;
    return makeError("F628", {{"file", file.string()},
                              {"offset", std::to_string(offset)},
                              {"found", std::to_string(elements) + (elements == 1 ? " value" : " values")},
                              {"shape", shapeText(options.shape)}});
}

Result<void> checkPictureShape(const std::vector<std::int64_t>& shape) {
    constexpr std::int64_t kMostSide = 32768;
    const bool sizes = shape.size() == 2 || (shape.size() == 3 && (shape[2] == 1 || shape[2] == 3));
    if (sizes && shape[0] > 0 && shape[0] <= kMostSide && shape[1] > 0 && shape[1] <= kMostSide) return {};
    return makeError("F626", {{"key", "data.shape"},
                              {"what", shapeText(shape) + " for pictures"},
                              {"cause", "Pictures have a height, a width and 1 or 3 channels."}});
}

}  // namespace lockstep::data
