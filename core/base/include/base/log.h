// One line per event on stderr: "2026-03-01T12:00:00.250Z I rank 0: text". A rank's stderr is its log file. Never secrets.
#pragma once

#include <string>
#include <string_view>

namespace lockstep {

enum class LogLevel { Debug, Info, Warning, Error };

// "rank 0", "agent", "controller": put in front of every later line of this process. Call before threads start.
void setLogName(std::string_view name);
void setLogLevel(LogLevel lowest);
// Thread safe; one write(2) per line.
void log(LogLevel level, std::string_view text);
// The same line as text, end of line included, for a log that is not this process' stderr.
std::string formatLogLine(LogLevel level, std::string_view name, std::string_view text);

}  // namespace lockstep
