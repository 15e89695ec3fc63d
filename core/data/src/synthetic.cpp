#include "reading.h"
#include "source.h"

#include <base/random.h>

#include <algorithm>

namespace lockstep::data {
namespace {

constexpr std::uint64_t kPatternStream = std::uint64_t{0x50415454} << 32, kRowStream = std::uint64_t{0x524f5753} << 32;
constexpr std::int64_t kValidationShare = 8;  // one validation row for so many training rows
constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 30;

struct Memory {
    std::vector<std::byte> features;
    std::vector<std::int32_t> labels;
};

std::vector<std::uint8_t> patternOf(int label, std::size_t elements, std::uint64_t seed) {
    std::vector<std::uint8_t> pattern(elements);
    Philox random(seed, kPatternStream + static_cast<std::uint64_t>(label));
    for (std::uint8_t& value : pattern) value = static_cast<std::uint8_t>(random.nextBelow(256));
    return pattern;
}

// Half of each value is its class's pattern, half is noise, so that there is something to learn. Row i of the data set follows from
// (seed, i) alone.
Split makeSplit(const LoadOptions& options, const DatasetFacts& facts, std::int64_t first, std::int64_t rows) {
    auto memory = std::make_shared<Memory>();
    Split split;
    split.featureShape = facts.featureShape;
    split.rows = rows;
    const auto elements = static_cast<std::size_t>(split.rowElements());
    std::vector<std::vector<std::uint8_t>> patterns;
    for (int label = 0; label < facts.classes; ++label) patterns.push_back(patternOf(label, elements, options.syntheticSeed));
    memory->features.resize(static_cast<std::size_t>(rows) * elements);
    std::byte* into = memory->features.data();
    for (std::int64_t row = first; row < first + rows; ++row) {
        Philox random(options.syntheticSeed, kRowStream + static_cast<std::uint64_t>(row));
        const auto label = static_cast<std::int32_t>(row % facts.classes);
        memory->labels.push_back(label);
        const auto& pattern = patterns[static_cast<std::size_t>(label)];
        std::uint32_t bits = 0;
        for (std::size_t i = 0; i < elements; ++i, bits >>= 8) {
            if (i % 4 == 0) bits = random.nextU32();
            *into++ = static_cast<std::byte>((pattern[i] + (bits & 255)) / 2);
        }
    }
    split.features = memory->features;
    split.labels = memory->labels;
    split.keepAlive = std::move(memory);
    return split;
}

}  // namespace

Result<DatasetFacts> syntheticFacts(const LoadOptions& options) {
    DatasetFacts facts;
    facts.featureShape = options.shape.empty() ? std::vector<std::int64_t>{32, 32, 3} : options.shape;
    facts.rows = options.syntheticRows;
    facts.validationRows = std::max<std::int64_t>(1, options.syntheticRows / kValidationShare);
    facts.classes = options.classes.value_or(options.syntheticClasses);
    auto all = facts.featureShape;
    all.push_back(facts.rows + facts.validationRows);
    const bool positive = std::all_of(all.begin(), all.end(), [](std::int64_t size) { return size > 0; });
    if (!positive || !boundedProduct(all, 1, kMostBytes))
        return tooLargeError("synthetic data", 0, std::to_string(facts.rows) + " rows of " + shapeText(facts.featureShape) + " values",
                             bytesText(kMostBytes));
    return facts;
}

Result<Dataset> makeSynthetic(const LoadOptions& options) {
    LS_TRY_ASSIGN(const DatasetFacts facts, syntheticFacts(options));
    return Dataset{
        makeSplit(options, facts, 0, facts.rows), makeSplit(options, facts, facts.rows, facts.validationRows), facts.classes, {}};
}

}  // namespace lockstep::data
