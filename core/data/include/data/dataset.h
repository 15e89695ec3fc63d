// Datasets in memory order: rows of u8 features and a label each. Files are inflated once per host into a checksummed cache and mapped,
// so ranks share the pages. Immutable after loading, any thread.
#pragma once

#include <base/result.h>
#include <data/cache.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lockstep::data {

struct Split {
    std::vector<std::int64_t> featureShape;  // of one row, e.g. [28, 28, 1]
    std::int64_t rows = 0;
    std::span<const std::uint8_t> features;  // rows × product(featureShape); value/255 is what the model sees
    std::span<const std::uint8_t> labels;    // rows
    std::shared_ptr<const void> keepAlive;   // owns the memory
};

struct Dataset {
    Split train;
    Split validation;  // the test files; rows = 0 when there are none
    int classes = 0;
};

struct LoadOptions {
    std::string dataset = "mnist";      // mnist | idx
    std::filesystem::path folder;       // with the four IDX files, plain or .gz
    std::filesystem::path cacheFolder;  // where inflated copies are kept
    std::optional<int> classes;         // labels must be below; none: 10 for mnist, the largest label of the training rows + 1 for idx
    CacheCheck check = CacheCheck::Identity;
};

// Files: {train,t10k}-images-idx3-ubyte and {train,t10k}-labels-idx1-ubyte (a dot before "idx" is fine, and .gz); u8 throughout.
// Pictures [n, h, w] get a channel axis; [n, h, w, c] and [n, k] are taken as they are.
// Errors: F601 (wrong magic, short file, gz cut off: with the byte offset), F602, F612 (labels ≠ images), F613 (label out of range),
// F617 (unknown data set), F615 (another process holds the cache).
Result<Dataset> loadDataset(const LoadOptions& options);

// What the headers of the files say, without the pictures being read or anything being cached. Errors: as loadDataset, as far as the
// headers (and, for the number of classes of idx, the labels of the training rows) show them.
struct DatasetFacts {
    std::vector<std::int64_t> featureShape;
    std::int64_t rows = 0;
    std::int64_t validationRows = 0;
    int classes = 0;
};
Result<DatasetFacts> readDatasetFacts(const LoadOptions& options);

}  // namespace lockstep::data
