// The log lines of a run: each rank's own file and the controller's, one by one or merged by time.
//
// Threads: any.
#pragma once

#include <api/subscription.h>
#include <base/ids.h>
#include <base/result.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::api {

inline constexpr int kController = -1;

struct LogLine {
    double time = 0;  // Unix seconds; 0 = the line and those before it carry none
    int rank = kController;
    std::string text;  // without the line end
    bool operator==(const LogLine&) const = default;
};

struct LogQuery {
    std::optional<int> rank;  // only this one (kController for the controller); none = all, merged by time
    std::size_t last = 0;     // at most this many lines, the newest; 0 = all
};

struct LogText {
    std::vector<LogLine> lines;  // oldest first
    std::vector<std::filesystem::path>
        cut;  // files with older lines than those read: of all together the last 128 MiB, of each at least 16 MiB
};

struct LogFileInfo {
    int rank = kController;
    std::filesystem::path path;
    std::uint64_t bytes = 0;
    std::uint64_t unread = 0;  // at its beginning, more than is ever read
    bool operator==(const LogFileInfo&) const = default;
};

class Logs {
public:
    virtual ~Logs() = default;
    // The files that are there now: the controller's first, then the ranks ascending. Error R531.
    virtual Result<std::vector<LogFileInfo>> files(const RunId& run) const = 0;
    // Errors: R531 (no such run), R562 (no log of that rank).
    virtual Result<LogText> read(const RunId& run, const LogQuery& query) const = 0;
    // First what read() gives, then the lines that are added, also those of ranks that start later. One thread ("follow-log") each.
    virtual Result<std::unique_ptr<Subscription>> follow(const RunId& run, const LogQuery& query,
                                                         std::function<void(const std::vector<LogLine>&)> added) const = 0;
};

}  // namespace lockstep::api
