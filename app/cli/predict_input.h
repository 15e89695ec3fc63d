// What `lockstep predict` is given: an array of NumPy or pictures, read part by part.
#pragma once

#include <base/result.h>
#include <data/dataset.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace lockstep::cli {

// Rows as the run's data has them.
struct WantedRows {
    std::vector<std::int64_t> shape;  // of a row
    bool bytes = true;                // it was trained on pictures of bytes
    bool reshaped = false;            // data.shape gave its rows another shape than their files have
};

// One thread at a time.
class PredictInput {
public:
    virtual ~PredictInput() = default;
    virtual std::int64_t rows() const = 0;
    // Rows first … first + count, without labels; valid until the next call. Precondition: they exist.
    virtual Result<data::Split> read(std::int64_t first, std::int64_t count) = 0;
    // The picture's file, relative to the folder; empty for rows of an array.
    virtual std::string nameOf(std::int64_t) const { return {}; }
    // What a person should know of how the rows were taken; complete after the last read().
    virtual std::vector<std::string> notes() const { return {}; }
};

// .npy, .npz with an array "x", a picture (.png, .jpg, .jpeg), or a folder of pictures with all its folders. An array holds rows, or is one
// row. Bytes are pictures: value / 255, as everywhere. Errors: F645 (rows of another shape: names the axis and both shapes), F646 (none of
// these), F601 F602 F603 F606 F618 F619 F620 F624 (damaged, types that are no numbers, …), M901.
Result<std::unique_ptr<PredictInput>> openPredictInput(const std::filesystem::path& path, const WantedRows& wanted);

}  // namespace lockstep::cli
