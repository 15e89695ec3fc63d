// JSON text of strangers to values and back.
#pragma once

#include <keras/value.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace lockstep::keras {

struct JsonLimits {
    std::size_t depth = 64;
    std::size_t values = 500'000;
    std::size_t membersOfOne = 4096;  // of one object
};

// The value of the whole text. When it is none, `reason` becomes one clause that says why and where ("it is not JSON at byte 12").
Value parseJson(std::string_view text, std::string& reason, const JsonLimits& limits = {});

// Compact; bytes that are no UTF-8 become U+FFFD; infinite numbers become null.
std::string printJson(const Value& value);

// A text of a file for an error's sentence: short, without control characters.
std::string printable(std::string_view text);

}  // namespace lockstep::keras
