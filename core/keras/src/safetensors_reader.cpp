#include <keras/safetensors.h>

#include "json.h"

#include <base/file.h>
#include <base/units.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

namespace lockstep::keras {
namespace {

struct DTypeRow {
    std::string_view name;
    Element element;
};
constexpr std::array<DTypeRow, 6> kDTypes{{{"F16", Element::F16},
                                           {"BF16", Element::BF16},
                                           {"F32", Element::F32},
                                           {"F64", Element::F64},
                                           {"I32", Element::I32},
                                           {"I64", Element::I64}}};
constexpr JsonLimits kLimits{.depth = 4, .values = 2'000'000, .membersOfOne = 1 << 17};

struct Entry {
    std::string name;
    Element element = Element::F32;
    graph::Shape shape;
    std::uint64_t begin = 0, end = 0;
};

class Parser {
public:
    explicit Parser(const std::string& file) : m_file(file) {}

    Result<Safetensors> parse(std::span<const std::byte> bytes) {
        LS_TRY_ASSIGN(const auto header, headerOf(bytes));
        std::string reason;
        const Value value = parseJson(header, reason, kLimits);
        if (!reason.empty()) return wrong("the header at byte 8 can't be used: " + reason);
        Safetensors result;
        std::vector<Entry> entries;
        for (const auto& [name, description] : *value.object()) {
            if (name == "__metadata__") {
                LS_TRY(readMetadata(description, result));
            } else {
                LS_TRY_ASSIGN(auto entry, readEntry(name, description));
                entries.push_back(std::move(entry));
            }
        }
        std::ranges::stable_sort(entries, {}, [](const Entry& entry) { return std::pair(entry.begin, entry.end); });
        const auto values = bytes.subspan(8 + header.size());
        LS_TRY(checkPlaces(entries, values.size()));
        for (Entry& entry : entries) {
            const auto own = values.subspan(entry.begin, entry.end - entry.begin);
            result.tensors.push_back({std::move(entry.name), {entry.element, std::move(entry.shape), {own.begin(), own.end()}}});
        }
        return result;
    }

private:
    Error wrong(const std::string& what) const { return makeError("F658", {{"file", m_file}, {"what", what}}); }
    Error wrongTensor(const std::string& name, const std::string& what) const {
        return wrong("tensor \"" + printable(name) + "\" " + what);
    }

    Result<std::string_view> headerOf(std::span<const std::byte> bytes) const {
        std::uint64_t length = 0;
        if (bytes.size() < sizeof length) return wrong("it ends at byte " + std::to_string(bytes.size()) + ", before the header's length");
        std::memcpy(&length, bytes.data(), sizeof length);
        if (length > kMostSafetensorsHeader)
            return wrong("byte 0 gives the header " + std::to_string(length) + " bytes, more than the " +
                         std::to_string(kMostSafetensorsHeader) + " allowed");
        if (length > bytes.size() - sizeof length)
            return wrong("byte 0 gives the header " + std::to_string(length) + " bytes, but only " +
                         std::to_string(bytes.size() - sizeof length) + " follow");
        const std::string_view header(reinterpret_cast<const char*>(bytes.data()) + sizeof length, length);
        if (!header.starts_with('{')) return wrong("the header at byte 8 does not start with {");
        return header;
    }

    Result<void> readMetadata(const Value& value, Safetensors& to) const {
        if (value.object() == nullptr) return wrong("__metadata__ is no object");
        for (const auto& [name, text] : *value.object()) {
            if (text.text() == nullptr) return wrong("\"" + printable(name) + "\" of __metadata__ is no text");
            to.metadata.emplace_back(name, *text.text());
        }
        return {};
    }

    Result<Entry> readEntry(const std::string& name, const Value& value) const {
        const Value *shape = value.find("shape"), *offsets = value.find("data_offsets");
        const auto* dims = shape != nullptr ? shape->list() : nullptr;
        const auto* places = offsets != nullptr ? offsets->list() : nullptr;
        if (dims == nullptr || places == nullptr || places->size() != 2) return wrongTensor(name, "has no shape or no data_offsets");
        Entry entry;
        entry.name = name;
        const auto* row = std::ranges::find(kDTypes, value.textOf("dtype"), &DTypeRow::name);
        if (row == kDTypes.end())
            return wrongTensor(name, "is of type " + printable(value.textOf("dtype")) + ", which is not supported here");
        entry.element = row->element;
        std::vector<std::int64_t> axes;
        for (const Value& dim : *dims) axes.push_back(dim.integer().value_or(-1));
        entry.shape = graph::Shape(std::move(axes));
        const auto begin = places->front().integer(), end = places->back().integer();
        if (!begin || !end || *begin < 0 || *end < *begin) return wrongTensor(name, "has data_offsets that are no range");
        entry.begin = static_cast<std::uint64_t>(*begin);
        entry.end = static_cast<std::uint64_t>(*end);
        const auto needed = bytesOf(entry.element, entry.shape);
        if (!needed) return wrongTensor(name, "has the shape " + entry.shape.toText() + ", which is too large or none");
        if (*needed != entry.end - entry.begin)
            return wrongTensor(name, "needs " + std::to_string(*needed) + " bytes for its shape, data_offsets give it " +
                                         std::to_string(entry.end - entry.begin));
        return entry;
    }

    // One after the other, without holes, to the last byte.
    Result<void> checkPlaces(const std::vector<Entry>& entries, std::uint64_t size) const {
        std::uint64_t at = 0;
        for (const Entry& entry : entries) {
            if (entry.begin != at)
                return wrongTensor(entry.name, std::string(entry.begin < at ? "overlaps the one before it" : "leaves a gap before it") +
                                                   ": it begins at byte " + std::to_string(entry.begin) + " of the values, not at " +
                                                   std::to_string(at));
            if (entry.end > size)
                return wrongTensor(entry.name, "is cut off: it ends at byte " + std::to_string(entry.end) + " of " + std::to_string(size) +
                                                   " bytes of values");
            at = entry.end;
        }
        if (at != size) return wrong(std::to_string(size - at) + " bytes follow the last tensor");
        return {};
    }

    const std::string& m_file;
};

}  // namespace

Result<Safetensors> parseSafetensors(std::span<const std::byte> bytes, const std::string& file) { return Parser(file).parse(bytes); }

Result<Safetensors> readSafetensors(const std::filesystem::path& path) {
    LS_TRY_ASSIGN(const auto mapped, MappedFile::open(path));
    return parseSafetensors(mapped.bytes(), path.string());
}

}  // namespace lockstep::keras
