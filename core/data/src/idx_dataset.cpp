#include "reading.h"
#include "source.h"

#include <data/idx.h>

#include <algorithm>

namespace lockstep::data {
namespace {

namespace fs = std::filesystem;

constexpr int kMnistClasses = 10;

// A file of the data set in memory. An absent one has no header.
struct Loaded {
    fs::path path;
    MappedFile file;
    std::optional<IdxHeader> header;

    std::span<const std::byte> values() const { return file.bytes().subspan(header->headerBytes); }
};

// "train-images-idx3-ubyte", with a dot, each also compressed.
fs::path findFile(const fs::path& folder, const std::string& stem, const std::string& kind) {
    std::error_code status;
    for (const char* separator : {"-", "."})
        for (const char* suffix : {"", ".gz"}) {
            const fs::path path = folder / (stem + separator + kind + suffix);
            if (fs::exists(path, status)) return path;
        }
    return {};
}

Result<Loaded> loadFile(const fs::path& path, const LoadOptions& options) {
    Loaded loaded;
    loaded.path = path;
    if (path.empty()) return loaded;
    LS_TRY_ASSIGN(const bool compressed, isGzip(path));
    if (compressed) {
        LS_TRY_ASSIGN(loaded.file, openInflated(path, options.cacheFolder, options.check));
    } else {
        LS_TRY_ASSIGN(loaded.file, MappedFile::open(path));
    }
    LS_TRY_ASSIGN(loaded.header, checkIdx(loaded.file.bytes(), path));
    return loaded;
}

std::string hexCode(IdxType type) {
    static constexpr char kDigits[] = "0123456789abcdef";
    return std::string("0x0") + kDigits[static_cast<unsigned>(type) & 15];
}

Result<void> checkKind(const Loaded& images, const Loaded& labels) {
    for (const Loaded* file : {&images, &labels})
        if (file->header->type != IdxType::U8)
            return formatError(file->path, 2, "0x08 (bytes)", hexCode(file->header->type), "Pictures and labels are read as bytes.");
    if (images.header->shape.size() < 2) return formatError(images.path, 3, "2 to 4 dimensions", "1", "This looks like a file of labels.");
    if (images.header->shape.size() > 4)
        return formatError(images.path, 3, "2 to 4 dimensions", std::to_string(images.header->shape.size()));
    if (labels.header->shape.size() != 1)
        return formatError(labels.path, 3, "1 dimension", std::to_string(labels.header->shape.size()),
                           "This looks like a file of pictures.");
    if (images.header->shape[0] != labels.header->shape[0])
        return makeError("F612", {{"images", images.path.string()},
                                  {"imageCount", std::to_string(images.header->shape[0])},
                                  {"labels", labels.path.string()},
                                  {"labelCount", std::to_string(labels.header->shape[0])}});
    return {};
}

std::vector<std::int64_t> rowShape(const std::vector<std::int64_t>& shape) {
    std::vector<std::int64_t> row(shape.begin() + 1, shape.end());
    if (row.size() == 2) row.push_back(1);  // grey pictures have one channel
    return row;
}

Result<Split> makeSplit(Loaded images, Loaded labels) {
    LS_TRY(checkKind(images, labels));
    struct Memory {
        MappedFile images;
        std::vector<std::int32_t> labels;
    };
    Split split;
    split.rows = images.header->shape[0];
    split.featureShape = rowShape(images.header->shape);
    split.features = images.values();
    auto memory = std::make_shared<Memory>();
    for (const std::byte label : labels.values()) memory->labels.push_back(std::to_integer<std::int32_t>(label));
    memory->images = std::move(images.file);
    split.labels = memory->labels;
    split.keepAlive = std::move(memory);
    return split;
}

Error missing(const fs::path& file) {
    return makeError("F602", {{"file", file.string()}, {"reason", "there is no such file, plain or .gz"}});
}

enum class Presence { Required, Optional };

// Empty paths: an optional pair that is not there.
struct Pair {
    fs::path images, labels;
};
Result<Pair> findPair(const std::string& stem, Presence presence, const fs::path& folder) {
    Pair pair{findFile(folder, stem + "-images", "idx3-ubyte"), findFile(folder, stem + "-labels", "idx1-ubyte")};
    if (presence == Presence::Optional && pair.images.empty() && pair.labels.empty()) return pair;
    if (pair.images.empty()) return missing(folder / (stem + "-images-idx3-ubyte"));
    if (pair.labels.empty()) return missing(folder / (stem + "-labels-idx1-ubyte"));
    return pair;
}

Result<void> checkRows(const Loaded& images, Presence presence) {
    if (presence == Presence::Required && images.header->shape[0] == 0) return formatError(images.path, 4, "at least one row", "0");
    return {};
}

Result<Split> loadSplit(const std::string& stem, Presence presence, const LoadOptions& options) {
    LS_TRY_ASSIGN(const Pair pair, findPair(stem, presence, options.folder));
    if (pair.images.empty()) return Split{};
    LS_TRY_ASSIGN(Loaded pictures, loadFile(pair.images, options));
    LS_TRY_ASSIGN(Loaded classes, loadFile(pair.labels, options));
    LS_TRY(checkRows(pictures, presence));
    return makeSplit(std::move(pictures), std::move(classes));
}

// The shape of a split's pictures, rows first; empty when it is not there.
Result<std::vector<std::int64_t>> readShape(const std::string& stem, Presence presence, const fs::path& folder) {
    LS_TRY_ASSIGN(const Pair pair, findPair(stem, presence, folder));
    if (pair.images.empty()) return std::vector<std::int64_t>();
    Loaded pictures{pair.images, {}, {}}, classes{pair.labels, {}, {}};
    LS_TRY_ASSIGN(pictures.header, readIdxHeader(pair.images));
    LS_TRY_ASSIGN(classes.header, readIdxHeader(pair.labels));
    LS_TRY(checkKind(pictures, classes));
    LS_TRY(checkRows(pictures, presence));
    return pictures.header->shape;
}

Result<int> countClasses(const LoadOptions& options) {
    if (options.classes) return *options.classes;
    if (options.dataset == "mnist") return kMnistClasses;
    LS_TRY_ASSIGN(const Pair pair, findPair("train", Presence::Required, options.folder));
    LS_TRY_ASSIGN(const IdxHeader header, readIdxHeader(pair.labels));
    std::size_t place = 0;
    int most = 0;
    const auto look = [&](std::span<const std::byte> bytes) -> Result<void> {
        for (const std::byte byte : bytes)
            if (place++ >= header.headerBytes) most = std::max(most, std::to_integer<int>(byte));
        return {};
    };
    LS_TRY(streamIdx(pair.labels, look));
    return most + 1;
}

Result<void> checkLabels(const Split& split, int classes, const std::string& stem) {
    const auto bad = std::find_if(split.labels.begin(), split.labels.end(), [&](std::int32_t label) { return label >= classes; });
    if (bad == split.labels.end()) return {};
    const auto row = bad - split.labels.begin();
    return makeError("F613", {{"file", stem + "-labels"},
                              {"row", std::to_string(row)},
                              {"offset", std::to_string(row + 8)},
                              {"label", std::to_string(*bad)},
                              {"classes", std::to_string(classes)}});
}

int classesOf(const Split& train, const LoadOptions& options) {
    if (options.classes) return *options.classes;
    if (options.dataset == "mnist") return kMnistClasses;
    return 1 + *std::max_element(train.labels.begin(), train.labels.end());
}

}  // namespace

Result<Dataset> loadIdx(const LoadOptions& options) {
    Dataset dataset;
    LS_TRY_ASSIGN(dataset.train, loadSplit("train", Presence::Required, options));
    LS_TRY_ASSIGN(dataset.validation, loadSplit("t10k", Presence::Optional, options));
    dataset.classes = classesOf(dataset.train, options);
    LS_TRY(checkLabels(dataset.train, dataset.classes, "train"));
    if (dataset.validation.rows == 0) {
        dataset.validation = Split{};
        return dataset;
    }
    LS_TRY(checkLabels(dataset.validation, dataset.classes, "t10k"));
    if (dataset.validation.featureShape != dataset.train.featureShape)
        return formatError(options.folder / "t10k-images-idx3-ubyte", 8, shapeText(dataset.train.featureShape),
                           shapeText(dataset.validation.featureShape), "The test pictures must have the size of the training pictures.");
    return dataset;
}

Result<DatasetFacts> readIdxFacts(const LoadOptions& options) {
    LS_TRY_ASSIGN(const auto train, readShape("train", Presence::Required, options.folder));
    LS_TRY_ASSIGN(const auto validation, readShape("t10k", Presence::Optional, options.folder));
    DatasetFacts facts;
    facts.featureShape = rowShape(train);
    facts.rows = train[0];
    facts.validationRows = validation.empty() ? 0 : validation[0];
    LS_TRY_ASSIGN(facts.classes, countClasses(options));
    return facts;
}

}  // namespace lockstep::data
