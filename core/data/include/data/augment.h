// Random changes of pictures while they are bytes, and what is done to values before the model sees them.
#pragma once

#include <base/result.h>
#include <data/dataset.h>

#include <cstdint>
#include <span>
#include <vector>

namespace lockstep::data {

struct Augmentation {
    int cropPadding = 0;  // > 0: the picture is moved by up to so many pixels in each direction; what comes in is 0
    bool flip = false;    // left to right, every second time
    bool any() const { return cropPadding > 0 || flip; }
    bool operator==(const Augmentation&) const = default;
};

// (value - mean) / deviation, per channel (the last axis), or one number for all; pictures after value/255. Empty: left as it is.
struct Normalisation {
    std::vector<float> mean, deviation;
    bool any() const { return !mean.empty() || !deviation.empty(); }
    bool operator==(const Normalisation&) const = default;
};

struct RowTransform {
    Augmentation augment;
    Normalisation normalise;
    std::uint64_t seed = 1;  // of the augmentation
};

// Error F626: augmentation of rows that are no pictures [h, w, c] of bytes, a padding beyond the picture, a number of means or
// deviations that is not that of the channels, a deviation of 0.
Result<void> checkTransform(const std::vector<std::int64_t>& featureShape, Element element, const RowTransform& transform);

// What happens to a row in an epoch. It follows from (seed, epoch, row) alone (Philox), so that the pictures are the same however rows
// are dealt to ranks and steps.
struct PictureMove {
    int down = 0, right = 0;  // where the picture goes, -padding … padding
    bool flip = false;
    bool operator==(const PictureMove&) const = default;
};
PictureMove moveOf(const Augmentation& augment, std::uint64_t seed, int epoch, std::uint32_t row);

// The moved picture; `shape` is [h, w, c]. Flipped after it was moved.
void movePicture(const std::uint8_t* from, const std::vector<std::int64_t>& shape, const PictureMove& move, std::uint8_t* into);

}  // namespace lockstep::data
