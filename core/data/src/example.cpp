// The wire format of Protocol Buffers, as far as TensorFlow's Example needs it:
//   Example {1: Features}   Features {1: map entry {1: name, 2: Feature}}   Feature {1: BytesList | 2: FloatList | 3: Int64List}, each {1:
//   values} SequenceExample {1: Features, 2: FeatureLists}   FeatureLists {1: map entry {1: name, 2: FeatureList {1: Feature}}}
#include <data/tfrecord.h>

#include "reading.h"

#include <cstring>
#include <functional>

namespace lockstep::data {
namespace {

using Bytes = std::span<const std::byte>;

enum class Wire : std::uint8_t { Varint = 0, Fixed64 = 1, Delimited = 2, Fixed32 = 5 };

struct Field {
    std::uint32_t number = 0;
    Wire wire = Wire::Varint;
    std::uint64_t value = 0;  // Varint, Fixed32, Fixed64
    Bytes bytes;              // Delimited
};

// Where a message stands, for errors.
struct Place {
    const std::filesystem::path& file;
    std::uint64_t record;
    Error wrong(std::string expected) const {
        return formatError(file, record, std::move(expected), "damaged data", "The record is whole, but it is no tf.train.Example.");
    }
};

bool takeVarint(Bytes& rest, std::uint64_t& value) {
    value = 0;
    for (unsigned shift = 0; shift < 70 && !rest.empty(); shift += 7) {
        const std::uint64_t byte = std::to_integer<std::uint64_t>(rest[0]);
        rest = rest.subspan(1);
        if (shift == 63 && byte > 1) return false;
        value |= (byte & 127) << shift;
        if (byte < 128) return true;
    }
    return false;
}

bool takeFixed(Bytes& rest, std::size_t size, std::uint64_t& value) {
    if (rest.size() < size) return false;
    value = loadLittle(rest, size);
    rest = rest.subspan(size);
    return true;
}

bool takeField(Bytes& rest, Field& field) {
    std::uint64_t tag = 0;
    if (!takeVarint(rest, tag) || tag >> 3 == 0 || tag >> 3 > 0x1fffffff) return false;
    field.number = static_cast<std::uint32_t>(tag >> 3);
    field.wire = static_cast<Wire>(tag & 7);
    switch (field.wire) {
        case Wire::Varint: return takeVarint(rest, field.value);
        case Wire::Fixed64: return takeFixed(rest, 8, field.value);
        case Wire::Fixed32: return takeFixed(rest, 4, field.value);
        case Wire::Delimited: break;
        default: return false;  // groups are not used
    }
    std::uint64_t length = 0;
    if (!takeVarint(rest, length) || length > rest.size()) return false;
    field.bytes = rest.first(length);
    rest = rest.subspan(length);
    return true;
}

// Calls `use` for every field of a message; unknown ones are passed over by `use`.
Result<void> eachField(Bytes message, const Place& place, const std::function<Result<void>(const Field&)>& use) {
    Field field;
    while (!message.empty()) {
        if (!takeField(message, field)) return place.wrong("a Protocol Buffers message");
        LS_TRY(use(field));
    }
    return {};
}

float toFloat(std::uint64_t bits) {
    const auto low = static_cast<std::uint32_t>(bits);
    float value;
    std::memcpy(&value, &low, sizeof value);
    return value;
}

Result<void> addFloats(const Field& field, const Place& place, ExampleFeature& feature) {
    if (field.wire == Wire::Fixed32) {
        feature.floats.push_back(toFloat(field.value));
        return {};
    }
    if (field.wire != Wire::Delimited || field.bytes.size() % 4 != 0) return place.wrong("a list of floats");
    for (std::size_t at = 0; at < field.bytes.size(); at += 4) feature.floats.push_back(toFloat(loadLittle(field.bytes.subspan(at), 4)));
    return {};
}

Result<void> addIntegers(const Field& field, const Place& place, ExampleFeature& feature) {
    if (field.wire == Wire::Varint) {
        feature.integers.push_back(static_cast<std::int64_t>(field.value));
        return {};
    }
    if (field.wire != Wire::Delimited) return place.wrong("a list of whole numbers");
    for (Bytes rest = field.bytes; !rest.empty();) {
        std::uint64_t value = 0;
        if (!takeVarint(rest, value)) return place.wrong("a list of whole numbers");
        feature.integers.push_back(static_cast<std::int64_t>(value));
    }
    return {};
}

Result<ExampleFeature> parseFeature(Bytes message, const Place& place) {
    using Kind = ExampleFeature::Kind;
    ExampleFeature feature;
    LS_TRY(eachField(message, place, [&](const Field& list) -> Result<void> {
        if (list.number > 3) return {};
        if (list.wire != Wire::Delimited) return place.wrong("a list of values");
        const auto kind = static_cast<Kind>(list.number);
        if (feature.kind != kind) feature = ExampleFeature{kind, {}, {}, {}};  // the last of a choice counts
        return eachField(list.bytes, place, [&](const Field& value) -> Result<void> {
            if (value.number != 1) return {};
            if (kind == Kind::Float) return addFloats(value, place, feature);
            if (kind == Kind::Int64) return addIntegers(value, place, feature);
            if (value.wire != Wire::Delimited) return place.wrong("a list of byte strings");
            feature.bytes.push_back(value.bytes);
            return {};
        });
    }));
    return feature;
}

// A map entry: its name and the bytes of its value.
Result<std::pair<std::string, Bytes>> parseEntry(const Field& field, const Place& place) {
    if (field.wire != Wire::Delimited) return place.wrong("a map of names");
    std::pair<std::string, Bytes> entry;
    LS_TRY(eachField(field.bytes, place, [&](const Field& part) -> Result<void> {
        if (part.number > 2) return {};
        if (part.wire != Wire::Delimited) return place.wrong("a name and a value");
        if (part.number == 1)
            entry.first.assign(reinterpret_cast<const char*>(part.bytes.data()), part.bytes.size());
        else
            entry.second = part.bytes;
        return {};
    }));
    return entry;
}

Result<void> parseFeatures(const Field& field, const Place& place, ExampleFeatures& features) {
    if (field.wire != Wire::Delimited) return place.wrong("Features");
    return eachField(field.bytes, place, [&](const Field& one) -> Result<void> {
        if (one.number != 1) return {};
        LS_TRY_ASSIGN(auto entry, parseEntry(one, place));
        LS_TRY_ASSIGN(features[entry.first], parseFeature(entry.second, place));
        return {};
    });
}

Result<std::vector<ExampleFeature>> parseList(Bytes message, const Place& place) {
    std::vector<ExampleFeature> list;
    LS_TRY(eachField(message, place, [&](const Field& one) -> Result<void> {
        if (one.number != 1) return {};
        if (one.wire != Wire::Delimited) return place.wrong("a FeatureList");
        LS_TRY_ASSIGN(auto feature, parseFeature(one.bytes, place));
        list.push_back(std::move(feature));
        return {};
    }));
    return list;
}

}  // namespace

Result<ExampleFeatures> parseExample(const TfRecordReader::Record& record, const std::filesystem::path& file) {
    const Place place{file, record.offset};
    ExampleFeatures features;
    LS_TRY(eachField(record.bytes, place, [&](const Field& field) -> Result<void> {
        if (field.number != 1) return {};
        return parseFeatures(field, place, features);
    }));
    return features;
}

Result<SequenceExample> parseSequenceExample(const TfRecordReader::Record& record, const std::filesystem::path& file) {
    const Place place{file, record.offset};
    SequenceExample example;
    LS_TRY(eachField(record.bytes, place, [&](const Field& field) -> Result<void> {
        if (field.number == 1) return parseFeatures(field, place, example.context);
        if (field.number != 2) return {};
        if (field.wire != Wire::Delimited) return place.wrong("FeatureLists");
        return eachField(field.bytes, place, [&](const Field& one) -> Result<void> {
            if (one.number != 1) return {};
            LS_TRY_ASSIGN(auto entry, parseEntry(one, place));
            LS_TRY_ASSIGN(example.lists[entry.first], parseList(entry.second, place));
            return {};
        });
    }));
    return example;
}

}  // namespace lockstep::data
