// A data set that must be decoded: what it will be, and the filling of memory that was laid out for it.
#pragma once

#include <data/dataset.h>

#include <memory>

namespace lockstep::data {

struct SourceFacts {
    DatasetFacts facts;
    std::vector<std::string> classNames;
};

// Memory of one split, to be filled.
struct SplitRoom {
    std::span<std::byte> features;  // rows × row elements × their size
    std::span<std::int32_t> labels;
    std::span<float> targets;
};

// One thread at a time; facts() comes before fill().
class Source {
public:
    virtual ~Source() = default;
    // All files it reads, in a stable order: their identities decide whether a decoded copy is still right.
    virtual std::vector<std::filesystem::path> files() const = 0;
    virtual Result<SourceFacts> facts() = 0;
    // Error X001 when the files changed since facts() so that they no longer fit.
    virtual Result<void> fill(const SplitRoom& train, const SplitRoom& validation) = 0;
};

// The source of a data set; F602, F622, F624 when its files are not there. nullptr: this data set needs no decoding.
Result<std::unique_ptr<Source>> openSource(const LoadOptions& options);

Result<std::unique_ptr<Source>> openCifar(const LoadOptions& options);
Result<std::unique_ptr<Source>> openNpyFiles(const LoadOptions& options);
Result<std::unique_ptr<Source>> openCsvFiles(const LoadOptions& options);
Result<std::unique_ptr<Source>> openImageFolder(const LoadOptions& options);
Result<std::unique_ptr<Source>> openTfRecords(const LoadOptions& options);

// The others. All give the training rows whole: the validation split comes after.
Result<Dataset> loadIdx(const LoadOptions& options);
Result<DatasetFacts> readIdxFacts(const LoadOptions& options);
Result<Dataset> makeSynthetic(const LoadOptions& options);
Result<DatasetFacts> syntheticFacts(const LoadOptions& options);
// npy files in an order that needs no decoding, mapped; nothing when they need it.
Result<std::optional<Dataset>> mapNpyFiles(const LoadOptions& options);

// Through the cache: the decoded copy, made when needed.
Result<Dataset> loadDecoded(const LoadOptions& options, Source& source);

// What a decoded copy that is still right says; nothing when there is none.
std::optional<DatasetFacts> readDecodedFacts(const LoadOptions& options, const Source& source);

// A label as a class. Error F627.
Result<std::int32_t> toClass(double value, const std::filesystem::path& file, std::int64_t row, std::uint64_t offset);
Error changedWhileRead(const std::filesystem::path& file);
// `shape` for rows of `elements` values, or the fallback when none is asked for. Error F628.
Result<std::vector<std::int64_t>> shapeFor(const LoadOptions& options, std::int64_t elements, std::vector<std::int64_t> fallback,
                                           const std::filesystem::path& file, std::uint64_t offset);

// Whether data.shape is one of pictures: height, width and perhaps 1 or 3 channels. Error F626.
Result<void> checkPictureShape(const std::vector<std::int64_t>& shape);

}  // namespace lockstep::data
