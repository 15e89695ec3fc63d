// Summaries of runs whose files have not changed since they were read: a list of hundreds of runs costs a few file facts each.
//
// Threads: any.
#pragma once

#include <api/run.h>
#include <control/run_folder.h>

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

namespace lockstep::workbench {

class SummaryCache {
public:
    api::RunSummary summary(const control::RunFolder& folder);
    // Forgets runs that are not among these.
    void keepOnly(const std::vector<control::RunFolder>& folders);

private:
    // Inode, bytes and time of change (ns) of run.db and of its -wal.
    using Facts = std::array<std::int64_t, 6>;
    struct Entry {
        Facts facts{};
        api::RunSummary summary;
    };
    static std::optional<Facts> factsOf(const control::RunFolder& folder);

    std::mutex m_mutex;
    std::map<RunId, Entry> m_entries;
};

}  // namespace lockstep::workbench
