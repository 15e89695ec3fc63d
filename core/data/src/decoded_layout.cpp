#include "decoded_layout.h"

#include "reading.h"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace lockstep::data {
namespace {

constexpr std::size_t kHeaderBytes = 4096, kAlignment = 64, kMostAxes = 8;
constexpr std::array<char, 8> kMagic = {'L', 'S', 'R', 'O', 'W', 'S', '0', '1'};

struct Header {
    std::array<char, 8> magic{};
    std::uint32_t element = 0, axes = 0, classes = 0, unused = 0;
    std::array<std::int64_t, kMostAxes> shape{};
    std::int64_t rows = 0, validationRows = 0, targetWidth = 0;
    std::uint64_t namesBytes = 0, fileBytes = 0;
};

std::string joined(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += name + '\0';
    return text;
}

// Lays the parts out behind each other.
std::optional<DecodedLayout> layOut(const DatasetFacts& facts, std::uint64_t namesBytes) {
    DecodedLayout layout;
    layout.facts = facts;
    std::uint64_t at = kHeaderBytes;
    const auto place = [&](std::int64_t rows, std::uint64_t rowBytes, DecodedLayout::Part& part) {
        const auto bytes = boundedProduct({rows}, std::max<std::uint64_t>(rowBytes, 1), kMostValueBytes);
        if (!bytes) return false;
        part = {at, rowBytes == 0 ? 0 : *bytes};
        at += (part.bytes + kAlignment - 1) / kAlignment * kAlignment;
        return true;
    };
    const auto rowBytes = boundedProduct(facts.featureShape, sizeOf(facts.element), kMostValueBytes);
    if (!rowBytes || facts.targetWidth < 0 || facts.targetWidth > (std::int64_t{1} << 24)) return std::nullopt;
    const std::uint64_t labelBytes = facts.targetWidth == 0 ? 4 : 0, targetBytes = 4 * static_cast<std::uint64_t>(facts.targetWidth);
    for (std::size_t i = 0; i < 2; ++i) {
        const std::int64_t rows = i == 0 ? facts.rows : facts.validationRows;
        auto& parts = layout.splits[i];
        if (!place(rows, *rowBytes, parts.features) || !place(rows, labelBytes, parts.labels) || !place(rows, targetBytes, parts.targets))
            return std::nullopt;
    }
    layout.names = {at, namesBytes};
    layout.bytes = at + namesBytes;
    return layout;
}

template <class T>
std::span<T> as(std::span<std::byte> bytes) {
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
}
template <class T>
std::span<const T> as(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
}

Split splitOf(std::span<const std::byte> file, const DecodedLayout& layout, std::size_t which) {
    const auto at = [&](const DecodedLayout::Part& part) { return file.subspan(part.at, part.bytes); };
    const auto& parts = layout.splits[which];
    Split split;
    split.rows = which == 0 ? layout.facts.rows : layout.facts.validationRows;
    if (split.rows == 0) return split;
    split.featureShape = layout.facts.featureShape;
    split.element = layout.facts.element;
    split.features = at(parts.features);
    split.labels = as<std::int32_t>(at(parts.labels));
    split.targets = as<float>(at(parts.targets));
    split.targetWidth = layout.facts.targetWidth;
    return split;
}

std::optional<Header> readHeader(std::span<const std::byte> file) {
    Header header;
    if (file.size() < kHeaderBytes) return std::nullopt;
    std::memcpy(&header, file.data(), sizeof header);
    const bool right = header.magic == kMagic && header.element <= 1 && header.axes <= kMostAxes && header.rows >= 0 &&
                       header.validationRows >= 0 && header.targetWidth >= 0 && header.fileBytes == file.size() &&
                       header.namesBytes <= file.size() &&
                       std::all_of(header.shape.begin(), header.shape.end(), [](std::int64_t size) { return size >= 0; });
    return right ? std::optional(header) : std::nullopt;
}

}  // namespace

Result<DecodedLayout> DecodedLayout::of(const SourceFacts& found, const std::filesystem::path& name) {
    if (found.facts.featureShape.size() > kMostAxes)
        return unsupportedError(name, 0, "rows of " + std::to_string(found.facts.featureShape.size()) + " axes",
                                "Give the rows at most 8 axes.");
    const auto layout = layOut(found.facts, joined(found.classNames).size());
    if (layout && layout->bytes <= kMostValueBytes) return *layout;
    return tooLargeError(name, 0, std::to_string(found.facts.rows) + " rows of " + shapeText(found.facts.featureShape) + " values",
                         bytesText(kMostValueBytes));
}

void writeDecodedHeader(std::span<std::byte> file, const DecodedLayout& layout, const std::vector<std::string>& classNames) {
    const DatasetFacts& facts = layout.facts;
    const std::string names = joined(classNames);
    Header header{kMagic,
                  static_cast<std::uint32_t>(facts.element),
                  static_cast<std::uint32_t>(facts.featureShape.size()),
                  static_cast<std::uint32_t>(facts.classes),
                  0,
                  {},
                  facts.rows,
                  facts.validationRows,
                  facts.targetWidth,
                  names.size(),
                  layout.bytes};
    std::copy(facts.featureShape.begin(), facts.featureShape.end(), header.shape.begin());
    std::memcpy(file.data(), &header, sizeof header);
    if (!names.empty()) std::memcpy(file.data() + layout.names.at, names.data(), names.size());
}

SplitRoom roomOf(std::span<std::byte> file, const DecodedLayout& layout, std::size_t split) {
    const auto at = [&](const DecodedLayout::Part& part) { return file.subspan(part.at, part.bytes); };
    const auto& parts = layout.splits[split];
    return {at(parts.features), as<std::int32_t>(at(parts.labels)), as<float>(at(parts.targets))};
}

std::optional<Dataset> readDecoded(std::span<const std::byte> file, std::shared_ptr<const void> keepAlive) {
    const auto header = readHeader(file);
    if (!header) return std::nullopt;
    DatasetFacts facts;
    facts.featureShape.assign(header->shape.begin(), header->shape.begin() + header->axes);
    facts.rows = header->rows;
    facts.validationRows = header->validationRows;
    facts.classes = static_cast<int>(header->classes);
    facts.element = static_cast<Element>(header->element);
    facts.targetWidth = header->targetWidth;
    const auto layout = layOut(facts, header->namesBytes);
    if (!layout || layout->bytes != file.size()) return std::nullopt;
    Dataset dataset{splitOf(file, *layout, 0), splitOf(file, *layout, 1), facts.classes, {}};
    dataset.train.keepAlive = keepAlive;
    if (dataset.validation.rows > 0) dataset.validation.keepAlive = std::move(keepAlive);
    const auto names = file.subspan(layout->names.at, layout->names.bytes);
    std::string_view text(reinterpret_cast<const char*>(names.data()), names.size());
    for (std::size_t end; (end = text.find('\0')) != std::string_view::npos; text.remove_prefix(end + 1))
        dataset.classNames.emplace_back(text.substr(0, end));
    return dataset;
}

}  // namespace lockstep::data
