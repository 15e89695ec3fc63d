// What a line of a log says, as a person reads it: its level, its words without stamp and colours.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::models {

enum class LogLevel : std::uint8_t { Debug, Info, Warning, Error };

// Our own lines ("2026-03-01T12:00:00.250Z W rank 0: …"), glog's ("E0301 12:00:00 …"), TensorFlow's ("2026-03-01 12:00:00.1: W …"),
// Python's ("WARNING:root:…", "Traceback (…", "ValueError: …"), a program's last words ("error R502: …", "terminate called …",
// "Segmentation fault"). None = the line does not say.
std::optional<LogLevel> levelOfLine(std::string_view line);

// Whether it begins with our stamp: its time is its own.
bool isDated(std::string_view line);

// The words: without our stamp, level letter and the writer's name ("rank 0: ", "controller: "), which are shown beside it.
std::string_view messageOfLine(std::string_view line);

// Without escape sequences and other control characters; of a line that was overwritten in place (progress bars) the last state.
std::string cleanLine(std::string_view line);

}  // namespace lockstep::models
