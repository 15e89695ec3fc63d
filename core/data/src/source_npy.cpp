#include "reading.h"
#include "source.h"

#include <data/npy.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace lockstep::data {
namespace {

namespace fs = std::filesystem;

// Names of the four arrays; the last two may be absent.
struct Names {
    std::string x, y, xTest, yTest;
};

// Arrays of a folder of .npy files or of one .npz file, by name.
class Arrays {
public:
    static Result<Arrays> open(const fs::path& path) {
        Arrays arrays;
        arrays.m_path = path;
        std::error_code status;
        if (fs::is_directory(path, status)) return arrays;
        if (path.extension() == ".npy")
            return makeError("F626",
                             {{"key", "data.path"},
                              {"what", path.string() + " is one array"},
                              {"cause", "Features and labels are two: x_train.npy and y_train.npy in a folder, or both in one .npz."}});
        LS_TRY_ASSIGN(arrays.m_archive, NpzFile::open(path));
        return arrays;
    }

    bool has(const std::string& name) const {
        std::error_code status;
        if (!m_archive) return fs::exists(fileOf(name), status);
        const auto& members = m_archive->members();
        return std::any_of(members.begin(), members.end(), [&](const auto& member) { return member.name == name; });
    }
    Result<NpyArray> read(const std::string& name) const { return m_archive ? m_archive->read(name) : openNpy(fileOf(name)); }
    // For errors, and for the identity of what was read.
    fs::path fileOf(const std::string& name) const { return m_archive ? m_path : m_path / (name + ".npy"); }
    bool isArchive() const { return m_archive.has_value(); }

    std::string names() const {
        std::vector<std::string> all;
        std::error_code status;
        if (m_archive)
            for (const auto& member : m_archive->members()) all.push_back(member.name);
        else
            for (const auto& entry : fs::directory_iterator(m_path, status))
                if (entry.path().extension() == ".npy") all.push_back(entry.path().stem().string());
        std::sort(all.begin(), all.end());
        std::string text;
        for (const std::string& name : all) text += (text.empty() ? "" : ", ") + name;
        return text.empty() ? "no arrays" : text;
    }

    Error missing(const std::string& name) const {
        return makeError("F624", {{"file", m_path.string()}, {"kind", "array"}, {"name", name}, {"names", names()}});
    }

private:
    fs::path m_path;
    std::optional<NpzFile> m_archive;
};

Result<Names> findNames(const Arrays& arrays, const LoadOptions& options) {
    Names names{"x_train", "y_train", "x_test", "y_test"};
    if (!arrays.has("x_train") && arrays.has("x")) names = {"x", "y", "x_test", "y_test"};
    if (!options.features.empty()) names.x = options.features.front();
    if (!options.label.empty()) names.y = options.label;
    if (options.features.size() > 1)
        return makeError("F626", {{"key", "data.features"},
                                  {"what", std::to_string(options.features.size()) + " names for one array"},
                                  {"cause", "All features of a row stand in one array."}});
    for (const std::string* name : {&names.x, &names.y})
        if (!arrays.has(*name)) return arrays.missing(*name);
    if (!arrays.has(names.xTest)) names.xTest = names.yTest = "";
    if (!names.xTest.empty() && !arrays.has(names.yTest)) return arrays.missing(names.yTest);
    return names;
}

// One pair of arrays whose forms fit each other.
struct Pair {
    NpyArray x, y;
    fs::path xFile, yFile;
    std::int64_t rows() const { return x.shape[0]; }
};

Result<std::optional<Pair>> readPair(const Arrays& arrays, const std::string& x, const std::string& y) {
    if (x.empty()) return std::optional<Pair>();
    Pair pair;
    pair.xFile = arrays.fileOf(x);
    pair.yFile = arrays.fileOf(y);
    LS_TRY_ASSIGN(pair.x, arrays.read(x));
    LS_TRY_ASSIGN(pair.y, arrays.read(y));
    if (pair.x.shape.size() < 2) return formatError(pair.xFile, 0, "rows of features (2 axes or more)", shapeText(pair.x.shape));
    if (pair.y.shape.empty()) return formatError(pair.yFile, 0, "a label for each row", "one value");
    if (pair.x.shape[0] != pair.y.shape[0])
        return makeError("F612", {{"images", pair.xFile.string()},
                                  {"imageCount", std::to_string(pair.x.shape[0])},
                                  {"labels", pair.yFile.string()},
                                  {"labelCount", std::to_string(pair.y.shape[0])}});
    return std::optional<Pair>(std::move(pair));
}

Element elementOf(const NpyArray& x) { return x.type == NumberType::U8 ? Element::U8 : Element::F32; }

// Values of y that belong to a row.
std::int64_t widthOf(const NpyArray& y) {
    const auto width = boundedProduct({y.shape.begin() + 1, y.shape.end()}, 1, std::uint64_t{1} << 24);
    return width ? static_cast<std::int64_t>(*width) : -1;
}

Result<std::vector<std::int32_t>> readLabels(const Pair& pair) {
    if (widthOf(pair.y) != 1)
        return formatError(pair.yFile, 0, "one label for each row", shapeText(pair.y.shape),
                           "Classes are whole numbers; turn one-hot rows into them with argmax(axis=1).");
    std::vector<std::int32_t> labels(static_cast<std::size_t>(pair.rows()));
    for (std::size_t row = 0; row < labels.size(); ++row) {
        LS_TRY_ASSIGN(labels[row], toClass(valueAt(pair.y.values, pair.y.type, row), pair.yFile, static_cast<std::int64_t>(row),
                                           row * sizeOf(pair.y.type)));
    }
    return labels;
}

bool hasValues(const LoadOptions& options, const Pair& pair) {
    return options.target == Target::Values || (options.target == Target::Either && widthOf(pair.y) > 1);
}

std::vector<float> readTargets(const NpyArray& y) {
    std::vector<float> targets(y.values.size() / sizeOf(y.type));
    toFloats(y.values, y.type, targets.data());
    return targets;
}

struct Pairs {
    Pair train;
    std::optional<Pair> validation;
};

Result<Pairs> readPairs(const LoadOptions& options) {
    LS_TRY_ASSIGN(const Arrays arrays, Arrays::open(options.folder));
    LS_TRY_ASSIGN(const Names names, findNames(arrays, options));
    Pairs pairs;
    LS_TRY_ASSIGN(auto train, readPair(arrays, names.x, names.y));
    LS_TRY_ASSIGN(pairs.validation, readPair(arrays, names.xTest, names.yTest));
    pairs.train = std::move(*train);
    if (pairs.train.rows() == 0) return formatError(pairs.train.xFile, 0, "at least one row", "0");
    if (pairs.validation && pairs.validation->rows() == 0) pairs.validation.reset();
    if (!pairs.validation) return pairs;
    const std::vector<std::int64_t> row(pairs.train.x.shape.begin() + 1, pairs.train.x.shape.end());
    const std::vector<std::int64_t> other(pairs.validation->x.shape.begin() + 1, pairs.validation->x.shape.end());
    if (row != other || elementOf(pairs.train.x) != elementOf(pairs.validation->x))
        return makeError("F623", {{"file", pairs.validation->xFile.string()},
                                  {"place", ""},
                                  {"found", std::string(nameOf(pairs.validation->x.type)) + " " + shapeText(other)},
                                  {"expected", std::string(nameOf(pairs.train.x.type)) + " " + shapeText(row)}});
    return pairs;
}

Result<DatasetFacts> factsOf(const LoadOptions& options, const Pairs& pairs) {
    const Pair& train = pairs.train;
    DatasetFacts facts;
    facts.rows = train.rows();
    facts.validationRows = pairs.validation ? pairs.validation->rows() : 0;
    facts.element = elementOf(train.x);
    std::vector<std::int64_t> row(train.x.shape.begin() + 1, train.x.shape.end());
    // Grey pictures have one channel.
    if (facts.element == Element::U8 && row.size() == 2) row.push_back(1);
    const auto elements = boundedProduct(row, 1, kMostValueBytes).value_or(0);
    if (elements == 0) return formatError(train.xFile, 0, "at least one feature in a row", "none");
    LS_TRY_ASSIGN(facts.featureShape, shapeFor(options, static_cast<std::int64_t>(elements), row, train.xFile, 0));
    if (hasValues(options, train)) {
        facts.targetWidth = widthOf(train.y);
        if (facts.targetWidth < 1) return formatError(train.yFile, 0, "targets for each row", shapeText(train.y.shape));
        if (pairs.validation && widthOf(pairs.validation->y) != facts.targetWidth)
            return formatError(pairs.validation->yFile, 0, std::to_string(facts.targetWidth) + " targets for each row",
                               shapeText(pairs.validation->y.shape));
        return facts;
    }
    if (pairs.validation && hasValues(options, *pairs.validation))
        return formatError(pairs.validation->yFile, 0, "one label for each row", shapeText(pairs.validation->y.shape));
    LS_TRY_ASSIGN(const auto labels, readLabels(train));
    facts.classes = 1 + *std::max_element(labels.begin(), labels.end());
    return facts;
}

class NpySource final : public Source {
public:
    NpySource(LoadOptions options, std::vector<fs::path> files) : m_options(std::move(options)), m_files(std::move(files)) {}
    std::vector<fs::path> files() const override { return m_files; }

    Result<SourceFacts> facts() override {
        LS_TRY_ASSIGN(m_pairs, readPairs(m_options));
        SourceFacts found;
        LS_TRY_ASSIGN(found.facts, factsOf(m_options, *m_pairs));
        return found;
    }
    Result<void> fill(const SplitRoom& train, const SplitRoom& validation) override {
        LS_TRY(fillSplit(m_pairs->train, train));
        if (m_pairs->validation) LS_TRY(fillSplit(*m_pairs->validation, validation));
        return {};
    }

private:
    Result<void> fillSplit(const Pair& pair, const SplitRoom& room) const {
        if (elementOf(pair.x) == Element::U8)
            std::memcpy(room.features.data(), pair.x.values.data(), room.features.size());
        else
            toFloats(pair.x.values, pair.x.type, reinterpret_cast<float*>(room.features.data()));
        if (hasValues(m_options, pair)) {
            toFloats(pair.y.values, pair.y.type, room.targets.data());
            return {};
        }
        LS_TRY_ASSIGN(const auto labels, readLabels(pair));
        std::copy(labels.begin(), labels.end(), room.labels.begin());
        return {};
    }

    LoadOptions m_options;
    std::vector<fs::path> m_files;
    std::optional<Pairs> m_pairs;
};

// Features that a split may use where they are mapped.
bool isReady(const NpyArray& x) {
    const bool aligned = reinterpret_cast<std::uintptr_t>(x.values.data()) % alignof(float) == 0;
    return (x.type == NumberType::U8 || x.type == NumberType::F32) && aligned && !x.copied;
}

Result<Split> splitOf(const LoadOptions& options, const DatasetFacts& facts, Pair pair) {
    struct Memory {
        std::shared_ptr<const void> features;
        std::vector<std::int32_t> labels;
        std::vector<float> targets;
    };
    auto memory = std::make_shared<Memory>();
    Split split;
    split.featureShape = facts.featureShape;
    split.rows = pair.rows();
    split.element = facts.element;
    split.features = pair.x.values;
    if (hasValues(options, pair)) {
        memory->targets = readTargets(pair.y);
        split.targets = memory->targets;
        split.targetWidth = facts.targetWidth;
    } else {
        LS_TRY_ASSIGN(memory->labels, readLabels(pair));
        split.labels = memory->labels;
    }
    memory->features = std::move(pair.x.keepAlive);
    split.keepAlive = std::move(memory);
    return split;
}

Result<void> checkValidation(const Dataset& dataset, const fs::path& file) {
    for (std::size_t row = 0; row < dataset.validation.labels.size(); ++row)
        if (dataset.validation.labels[row] >= dataset.classes)
            return makeError("F613", {{"file", file.string()},
                                      {"row", std::to_string(row)},
                                      {"offset", std::to_string(row)},
                                      {"label", std::to_string(dataset.validation.labels[row])},
                                      {"classes", std::to_string(dataset.classes)}});
    return {};
}

}  // namespace

Result<std::unique_ptr<Source>> openNpyFiles(const LoadOptions& options) {
    LS_TRY_ASSIGN(const Arrays arrays, Arrays::open(options.folder));
    LS_TRY_ASSIGN(const Names names, findNames(arrays, options));
    std::vector<fs::path> files;
    for (const std::string* name : {&names.x, &names.y, &names.xTest, &names.yTest})
        if (!name->empty()) files.push_back(arrays.fileOf(*name));
    return std::unique_ptr<Source>(std::make_unique<NpySource>(options, std::move(files)));
}

Result<std::optional<Dataset>> mapNpyFiles(const LoadOptions& options) {
    std::error_code status;
    if (!fs::is_directory(options.folder, status)) return std::optional<Dataset>();
    LS_TRY_ASSIGN(Pairs pairs, readPairs(options));
    if (!isReady(pairs.train.x) || (pairs.validation && !isReady(pairs.validation->x))) return std::optional<Dataset>();
    LS_TRY_ASSIGN(const DatasetFacts facts, factsOf(options, pairs));
    Dataset dataset;
    dataset.classes = facts.classes;
    LS_TRY_ASSIGN(dataset.train, splitOf(options, facts, std::move(pairs.train)));
    if (!pairs.validation) return std::optional<Dataset>(std::move(dataset));
    const fs::path labels = pairs.validation->yFile;
    LS_TRY_ASSIGN(dataset.validation, splitOf(options, facts, std::move(*pairs.validation)));
    LS_TRY(checkValidation(dataset, labels));
    return std::optional<Dataset>(std::move(dataset));
}

}  // namespace lockstep::data
