// Just enough of NumPy's .npy format (version 1.0, '<f4', C order) for the fixtures; bounded by the file's size.
#pragma once

#include <base/result.h>

#include <cstdint>
#include <filesystem>
#include <vector>

namespace lockstep::curves {

struct NpyTensor {
    std::vector<std::int64_t> shape;
    std::vector<float> values;
};

// Error F601 with the byte where the file stops being such an array.
Result<NpyTensor> readNpy(const std::filesystem::path& path);

}  // namespace lockstep::curves
