// The safetensors format: eight bytes with the length of a JSON header, the header, the values of the tensors without holes.
// Errors: F658 names the byte or the tensor that is wrong.
#pragma once

#include <base/result.h>
#include <keras/tensor.h>

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::keras {

struct NamedTensor {
    std::string name;
    Tensor tensor;
    bool operator==(const NamedTensor&) const = default;
};

struct Safetensors {
    std::vector<std::pair<std::string, std::string>> metadata;
    std::vector<NamedTensor> tensors;  // in the order of their bytes
    bool operator==(const Safetensors&) const = default;
};

inline constexpr std::uint64_t kMostSafetensorsHeader = 100'000'000;  // bytes, as the format's own library has it

// Memory follows the bytes given, not what their header claims. `file` is for the error.
Result<Safetensors> parseSafetensors(std::span<const std::byte> bytes, const std::string& file);
Result<Safetensors> readSafetensors(const std::filesystem::path& path);

// Equal values give equal bytes; tensors stand in the order given. Error F659: a name twice, bytes that don't fit the shape.
Result<std::vector<std::byte>> printSafetensors(const Safetensors& values);
// The same into a file, atomically; also F604, F605.
Result<void> writeSafetensors(const std::filesystem::path& path, const Safetensors& values);

}  // namespace lockstep::keras
