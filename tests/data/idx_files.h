// Small IDX data sets written by the tests.
#pragma once

#include <base/file.h>

#include <zlib.h>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace lockstep::test {

inline std::string idxBytes(const std::vector<std::uint32_t>& shape, const std::string& values) {
    std::string bytes("\0\0\x08", 3);
    bytes += static_cast<char>(shape.size());
    for (const std::uint32_t size : shape)
        for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(size >> shift);
    return bytes + values;
}

inline void writeBytes(const std::filesystem::path& path, const std::string& bytes) {
    const auto done = replaceFile(path, bytes);
    if (!done.ok()) throw std::runtime_error(done.error().toText());
}

inline void writeGzip(const std::filesystem::path& path, const std::string& bytes) {
    const gzFile file = gzopen(path.c_str(), "wb1");
    gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
    gzclose(file);
}

// n pictures of 2 × 2, pixel = 16·row + place, label = row mod 3.
inline std::string pictures(std::uint32_t n) {
    std::string values;
    for (std::uint32_t i = 0; i < 4 * n; ++i) values += static_cast<char>(16 * (i / 4) + i % 4);
    return idxBytes({n, 2, 2}, values);
}
inline std::string labels(std::uint32_t n) {
    std::string values;
    for (std::uint32_t i = 0; i < n; ++i) values += static_cast<char>(i % 3);
    return idxBytes({n}, values);
}
inline void writeDataset(const std::filesystem::path& folder, std::uint32_t train, std::uint32_t test) {
    writeBytes(folder / "train-images-idx3-ubyte", pictures(train));
    writeBytes(folder / "train-labels-idx1-ubyte", labels(train));
    writeBytes(folder / "t10k-images-idx3-ubyte", pictures(test));
    writeBytes(folder / "t10k-labels-idx1-ubyte", labels(test));
}

}  // namespace lockstep::test
