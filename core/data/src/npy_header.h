// The header of .npy is the text of a Python dictionary. This reads that one form and nothing else.
#pragma once

#include <base/result.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::data {

struct NpyFields {
    std::string descr;        // "<f4"
    std::size_t descrAt = 0;  // offset in the file
    bool structured = false;  // descr is a list of fields
    bool fortranOrder = false;
    std::vector<std::int64_t> shape;
};

// `at` = where the text begins in the file. Error F601.
Result<NpyFields> parseNpyFields(std::string_view text, std::size_t at, const std::filesystem::path& file);

}  // namespace lockstep::data
