#include <data/augment.h>

#include "reading.h"

#include <base/random.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace lockstep::data {
namespace {

constexpr std::uint32_t kAugmentTag = 0x41554721;

Error misfit(std::string key, std::string what, std::string cause) {
    return makeError("F626", {{"key", std::move(key)}, {"what", std::move(what)}, {"cause", std::move(cause)}});
}

// 0 … bound - 1; the bias of 2^-32 · bound is the price for one number per choice.
std::uint32_t below(std::uint32_t random, std::uint32_t bound) { return static_cast<std::uint32_t>((std::uint64_t{random} * bound) >> 32); }

template <std::size_t Channels>
void flipLine(const std::uint8_t* from, std::size_t pixels, std::uint8_t* into) {
    for (std::size_t pixel = 0; pixel < pixels; ++pixel)
        std::memcpy(into + pixel * Channels, from + (pixels - 1 - pixel) * Channels, Channels);
}

void flipLine(const std::uint8_t* from, std::size_t pixels, std::size_t channels, std::uint8_t* into) {
    if (channels == 3) return flipLine<3>(from, pixels, into);
    if (channels == 1) return flipLine<1>(from, pixels, into);
    for (std::size_t pixel = 0; pixel < pixels; ++pixel)
        std::memcpy(into + pixel * channels, from + (pixels - 1 - pixel) * channels, channels);
}

Result<void> checkAugmentation(const std::vector<std::int64_t>& shape, Element element, const Augmentation& augment) {
    if (!augment.any()) return {};
    if (shape.size() != 3 || element != Element::U8)
        return misfit("data.augment", "rows of " + shapeText(shape) + (element == Element::U8 ? " bytes" : " numbers"),
                      "Pictures of bytes with height, width and channels can be moved and mirrored.");
    if (augment.cropPadding < 0 || augment.cropPadding > std::min(shape[0], shape[1]))
        return misfit("data.crop_padding", std::to_string(augment.cropPadding) + " for pictures of " + shapeText({shape[0], shape[1]}),
                      "A picture must not be moved by more than its size.");
    return {};
}

}  // namespace

Result<void> checkTransform(const std::vector<std::int64_t>& shape, Element element, const RowTransform& transform) {
    LS_TRY(checkAugmentation(shape, element, transform.augment));
    const std::size_t channels = shape.empty() ? 1 : static_cast<std::size_t>(shape.back());
    const Normalisation& normalise = transform.normalise;
    for (const auto& [key, values] : {std::pair("data.mean", &normalise.mean), std::pair("data.std", &normalise.deviation)}) {
        if (values->size() > 1 && values->size() != channels)
            return misfit(key, std::to_string(values->size()) + " numbers for " + std::to_string(channels) + " channels",
                          "There is one number for all channels, or one for each.");
        for (const float value : *values)
            if (!std::isfinite(value) || (values == &normalise.deviation && value <= 0))
                return misfit(key, "a number that can't be divided by", "Deviations are above 0.");
    }
    return {};
}

PictureMove moveOf(const Augmentation& augment, std::uint64_t seed, int epoch, std::uint32_t row) {
    const PhiloxBlock random = philox4x32({row, static_cast<std::uint32_t>(epoch), kAugmentTag, 0},
                                          {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
    PictureMove move;
    const auto places = static_cast<std::uint32_t>(2 * augment.cropPadding + 1);
    move.down = static_cast<int>(below(random[0], places)) - augment.cropPadding;
    move.right = static_cast<int>(below(random[1], places)) - augment.cropPadding;
    move.flip = augment.flip && (random[2] >> 31) != 0;
    return move;
}

void movePicture(const std::uint8_t* from, const std::vector<std::int64_t>& shape, const PictureMove& move, std::uint8_t* into) {
    const std::int64_t height = shape[0], width = shape[1];
    const auto channels = static_cast<std::size_t>(shape[2]), line = static_cast<std::size_t>(width) * channels;
    // Of the result's line, in the moved order: columns first … first + count come from the picture.
    const auto first = static_cast<std::size_t>(std::max(0, move.right));
    const std::size_t count = static_cast<std::size_t>(width) - static_cast<std::size_t>(std::abs(move.right));
    const std::size_t source = static_cast<std::size_t>(std::max(0, -move.right)) * channels;
    for (std::int64_t row = 0; row < height; ++row, into += line) {
        const std::int64_t fromRow = row - move.down;
        if (fromRow < 0 || fromRow >= height) {
            std::memset(into, 0, line);
            continue;
        }
        const std::uint8_t* const start = from + static_cast<std::size_t>(fromRow) * line + source;
        const std::size_t before = move.flip ? static_cast<std::size_t>(width) - first - count : first;
        std::memset(into, 0, before * channels);
        if (move.flip)
            flipLine(start, count, channels, into + before * channels);
        else
            std::memcpy(into + before * channels, start, count * channels);
        std::memset(into + (before + count) * channels, 0, line - (before + count) * channels);
    }
}

}  // namespace lockstep::data
