#include <bench/curve.h>

#include <memory>

namespace lockstep::bench {
namespace {

constexpr std::uint32_t kSide = 32, kChannels = 3, kPixels = kSide * kSide * kChannels;

std::uint32_t mixed(std::uint32_t k) {
    std::uint32_t h = k * 0x9E3779B9U + 0x1234ABCDU;
    h ^= h >> 16;
    h *= 0x7FEB352DU;
    h ^= h >> 15;
    h *= 0x846CA68BU;
    return h ^ (h >> 16);
}

struct Pictures {
    std::vector<std::uint8_t> pixels;
    std::vector<std::int32_t> labels;
};

}  // namespace

std::vector<std::uint32_t> recordedRows(std::size_t count) {
    constexpr std::uint32_t kMnistRows = 60000;
    std::uint32_t state = 2463534242U;
    std::vector<std::uint32_t> rows;
    while (rows.size() < count) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        rows.push_back(state % kMnistRows);
    }
    return rows;
}

data::Split recordedPictures(std::int64_t count) {
    auto made = std::make_shared<Pictures>();
    made->pixels.reserve(static_cast<std::size_t>(count) * kPixels);
    for (std::uint32_t n = 0; n < static_cast<std::uint32_t>(count); ++n) {
        const std::uint32_t label = (7 * n + 3) % 10;
        made->labels.push_back(static_cast<std::int32_t>(label));
        for (std::uint32_t i = 0; i < kPixels; ++i) {
            const std::uint32_t x = i / kChannels % kSide, y = i / kChannels / kSide, c = i % kChannels;
            const std::uint32_t pattern = (x * (label + 1) + y * (label + 3) + 11 * c) & 127U;
            made->pixels.push_back(static_cast<std::uint8_t>((mixed(n * kPixels + i) >> 25) + pattern));
        }
    }
    data::Split split;
    split.featureShape = {kSide, kSide, kChannels};
    split.rows = count;
    split.features = std::as_bytes(std::span(made->pixels));
    split.labels = made->labels;
    split.keepAlive = std::move(made);
    return split;
}

}  // namespace lockstep::bench
