// Quantities as people write them.
#pragma once

#include <base/clock.h>
#include <base/result.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep {

// "25MiB", "300 MB", "4096" → bytes. Error S308 names the text.
Result<std::uint64_t> parseBytes(std::string_view text);
// 26214400 → "25 MiB"
std::string formatBytes(std::uint64_t bytes);

// "30s", "500ms", "2m", "1h" → seconds, > 0. Error S308 names the text.
Result<Seconds> parseDuration(std::string_view text);
// 0.25 → "250 ms", 90 → "1 min 30 s"
std::string formatDuration(Seconds time);

// Shortest text that reads back as the same double; "nan", "inf", "-inf" for those.
std::string formatDouble(double value);

}  // namespace lockstep
