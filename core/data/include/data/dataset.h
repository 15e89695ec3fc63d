// Datasets in memory order: rows of u8 features and a label each. Files are inflated once per host into a checksummed cache and mapped,
// so ranks share the pages. Immutable after loading, any thread.
#pragma once

#include <base/result.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace lockstep::data {

struct Split {
    std::vector<std::int64_t> featureShape;     // of one row, e.g. [28, 28, 1]
    std::int64_t rows = 0;
    std::span<const std::uint8_t> features;     // rows × product(featureShape); value/255 is what the model sees
    std::span<const std::uint8_t> labels;       // rows
    std::shared_ptr<const void> keepAlive;      // owns the memory
};

struct Dataset {
    Split train;
    Split validation;   // the test files; rows = 0 when there are none
    int classes = 0;
};

struct LoadOptions {
    std::string dataset = "mnist";          // mnist | idx
    std::filesystem::path folder;           // with the four IDX files, plain or .gz
    std::filesystem::path cacheFolder;      // where inflated copies are kept
};

// Errors: F601 (wrong magic, short file, gz cut off: with the byte offset), F602, F612 (labels ≠ images), S304 (unknown dataset).
Result<Dataset> loadDataset(const LoadOptions& options);

}  // namespace lockstep::data
