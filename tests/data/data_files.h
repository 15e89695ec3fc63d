// Small data sets in the formats of the readers, written by the tests.
#pragma once

#include "idx_files.h"

#include <base/checksum.h>
#include <data/dataset.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

namespace lockstep::test {

template <class T>
std::string bytesOf(const std::vector<T>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

// version 1, C order: type as NumPy writes it ("<f4"), shape as a Python tuple ("(2, 3)").
inline std::string npyBytes(const std::string& type, const std::string& shape, const std::string& values) {
    std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }";
    header.resize((10 + header.size()) / 64 * 64 + 63 - 10, ' ');
    header += '\n';
    std::string text("\x93NUMPY\x01\x00", 8);
    text += static_cast<char>(header.size() & 255);
    text += static_cast<char>(header.size() >> 8);
    return text + header + values;
}

inline std::string varint(std::uint64_t value) {
    std::string bytes;
    for (; value >= 128; value >>= 7) bytes += static_cast<char>(value | 128);
    return bytes + static_cast<char>(value);
}
inline std::string field(int number, const std::string& bytes) {
    return std::string(1, static_cast<char>(number << 3 | 2)) + varint(bytes.size()) + bytes;
}
inline std::string feature(const std::string& name, int kind, const std::string& list) {
    return field(1, field(1, name) + field(2, field(kind, list)));
}
inline std::string bytesFeature(const std::string& name, const std::string& bytes) { return feature(name, 1, field(1, bytes)); }
inline std::string floatsFeature(const std::string& name, const std::vector<float>& values) {
    return feature(name, 2, field(1, bytesOf(values)));
}
inline std::string wholeFeature(const std::string& name, std::int64_t value) {
    return feature(name, 3, field(1, varint(static_cast<std::uint64_t>(value))));
}
inline std::string exampleBytes(const std::string& features) { return field(1, features); }

inline std::string littleEndian(std::uint64_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) text += static_cast<char>(i < 8 ? value >> (8 * i) : 0);
    return text;
}
inline std::string maskedCrc(const std::string& bytes) {
    const std::uint32_t crc = crc32c(asBytes(bytes));
    return littleEndian(((crc >> 15) | (crc << 17)) + 0xa282ead8u, 4);
}
inline std::string recordBytes(const std::string& payload) {
    const std::string length = littleEndian(payload.size(), 8);
    return length + maskedCrc(length) + payload + maskedCrc(payload);
}

inline data::LoadOptions loadOptions(const std::string& dataset, const std::filesystem::path& folder, const std::filesystem::path& cache) {
    data::LoadOptions options;
    options.dataset = dataset;
    options.folder = folder;
    options.cacheFolder = cache;
    return options;
}

inline float floatAt(const data::Split& split, std::size_t i) {
    float value;
    std::memcpy(&value, split.features.data() + 4 * i, 4);
    return value;
}
inline int byteAt(const data::Split& split, std::size_t i) { return std::to_integer<int>(split.features[i]); }

}  // namespace lockstep::test
