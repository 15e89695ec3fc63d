// Results of `lockstep predict` as they are written and shown.
#pragma once

#include "output.h"

#include <base/result.h>
#include <train/inference.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace lockstep::cli {

// What every form of the results needs to know of them.
struct ResultFacts {
    train::ResultForm form;
    std::vector<std::int64_t> shape;  // of one row
    std::int64_t rows = 0;
    bool hasFiles = false;                // rows have names of files
    std::vector<std::string> classNames;  // empty: classes are numbers
};

// {"row", "file", "class", "name", "probability", "values"}: what there is of it. A row of several independent probabilities has "classes".
Json predictionOf(const ResultFacts& facts, std::int64_t row, const std::string& file, std::span<const float> values);

// "npy", "csv" or "json" by the end of the name; empty: none of them.
std::string outputKind(const std::filesystem::path& file);

// Writes all rows to one new file. Errors F604, F605.
class PredictionWriter {
public:
    virtual ~PredictionWriter() = default;
    virtual Result<void> add(std::int64_t row, const std::string& file, std::span<const float> values) = 0;
    // Synced.
    virtual Result<void> finish() = 0;
};
// .npy: float32 [rows, …]; .csv: a heading, then row[, file][, class[, name], probability], values; .json: a list of predictionOf().
Result<std::unique_ptr<PredictionWriter>> makePredictionWriter(const std::string& kind, const std::filesystem::path& file,
                                                               const ResultFacts& facts);

// A heading and a line for each of the rows.
std::vector<std::vector<std::string>> predictionTable(const Json& rows);

}  // namespace lockstep::cli
