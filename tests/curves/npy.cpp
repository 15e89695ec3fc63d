#include "npy.h"

#include <base/file.h>

#include <charconv>
#include <cstring>
#include <string_view>

namespace lockstep::curves {
namespace {

constexpr std::size_t kHeadBytes = 10;  // magic, version, length of the header

Error damaged(const std::filesystem::path& path, std::size_t at, std::string expected) {
    return makeError("F601", {{"file", path.string()},
                              {"offset", std::to_string(at)},
                              {"expected", std::move(expected)},
                              {"found", "something else"},
                              {"cause", "It is not the array the recording wrote."}});
}

// The numbers between the parentheses of "'shape': (3, 3, 1, 32)".
std::vector<std::int64_t> shapeIn(std::string_view header) {
    std::vector<std::int64_t> shape;
    const std::size_t open = header.find("'shape': (");
    if (open == std::string_view::npos) return shape;
    const char* at = header.data() + open + 10;
    const char* end = header.data() + header.size();
    while (at < end && *at != ')') {
        std::int64_t length = 0;
        const auto read = std::from_chars(at, end, length);
        if (read.ec == std::errc{} && length > 0) shape.push_back(length);
        at = read.ec == std::errc{} ? read.ptr : at + 1;
    }
    return shape;
}

}  // namespace

Result<NpyTensor> readNpy(const std::filesystem::path& path) {
    LS_TRY_ASSIGN(const std::string bytes, readFile(path, 16u << 20));
    if (bytes.size() < kHeadBytes || std::memcmp(bytes.data(), "\x93NUMPY\x01\x00", 8) != 0)
        return damaged(path, 0, "the head of a .npy file");
    const std::size_t headerBytes = static_cast<unsigned char>(bytes[8]) + 256u * static_cast<unsigned char>(bytes[9]);
    if (bytes.size() < kHeadBytes + headerBytes) return damaged(path, bytes.size(), "the rest of the header");
    const std::string_view header(bytes.data() + kHeadBytes, headerBytes);
    if (header.find("'descr': '<f4'") == std::string_view::npos || header.find("'fortran_order': False") == std::string_view::npos)
        return damaged(path, kHeadBytes, "float32 values in C order");
    NpyTensor tensor;
    tensor.shape = shapeIn(header);
    std::size_t elements = 1;
    for (const auto length : tensor.shape) {
        elements *= static_cast<std::size_t>(length);
        if (elements > bytes.size()) return damaged(path, kHeadBytes, "a shape that fits the file");
    }
    if (bytes.size() != kHeadBytes + headerBytes + elements * sizeof(float))
        return damaged(path, bytes.size(), std::to_string(elements) + " values");
    tensor.values.resize(elements);
    std::memcpy(tensor.values.data(), bytes.data() + kHeadBytes + headerBytes, elements * sizeof(float));
    return tensor;
}

}  // namespace lockstep::curves
