// Log files of one run as lines with times.
#pragma once

#include <api/logs.h>
#include <control/run_folder.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::workbench {

struct LogFile {
    int rank = api::kController;
    std::filesystem::path path;
};

// The files of the run that are there now: controller first, then ranks ascending; only `rank` when given.
std::vector<LogFile> logFilesOf(const control::RunFolder& folder, std::optional<int> rank);

// How many bytes at the end of each of these files are read at most: so many that all together give 128 MiB, but at least 16 MiB.
std::uint64_t mostBytesOf(const std::vector<LogFile>& files);

// "2026-03-01T12:00:00.250Z …" → Unix seconds; 0 when the line does not start so.
double timeOfLogLine(std::string_view line);

// Reads a file that grows, whole lines only.
class LogCursor {
public:
    explicit LogCursor(LogFile file) : m_file(std::move(file)) {}

    const LogFile& file() const { return m_file; }
    // Starts so that at most `bytes` of what is there are read, at a line start. True when something was left out.
    bool skipToLast(std::uint64_t bytes);
    // The whole lines that have come since the last call; a line without time gets the time of the one before it.
    std::vector<api::LogLine> more();
    // What is left without a line end; for a file nobody writes any more.
    std::vector<api::LogLine> rest();

private:
    api::LogLine lineOf(std::string_view text);

    LogFile m_file;
    std::uint64_t m_position = 0;
    std::string m_partial;
    double m_time = 0;
    bool m_dropFirst = false;
};

// Merged by time; lines of one file keep their order.
std::vector<api::LogLine> mergeByTime(std::vector<std::vector<api::LogLine>> perFile);

}  // namespace lockstep::workbench
