#include "summary_cache.h"

#include "run_view.h"

#include <base/clock.h>

#include <sys/stat.h>
#include <algorithm>
#include <string>

namespace lockstep::workbench {
namespace {

constexpr double kNanoseconds = 1e9;
// A file that changed this shortly ago may change again within the same tick of its clock.
constexpr double kSettledSeconds = 2;

api::RunSummary readSummary(const control::RunFolder& folder) {
    const auto reader = store::Reader::open(folder.database());
    return reader.ok() ? summarize(folder, **reader) : summarizeBroken(folder, reader.error());
}

}  // namespace

std::optional<SummaryCache::Facts> SummaryCache::factsOf(const control::RunFolder& folder) {
    Facts facts{};
    auto* place = facts.data();
    for (const char* suffix : {"", "-wal"}) {
        struct stat file {};
        if (::stat((folder.database().string() + suffix).c_str(), &file) == 0) {
            place[0] = static_cast<std::int64_t>(file.st_ino);
            place[1] = file.st_size;
            place[2] = file.st_mtim.tv_sec * 1'000'000'000 + file.st_mtim.tv_nsec;
        } else if (*suffix == '\0') {
            return std::nullopt;
        }
        place += 3;
    }
    const auto newest = static_cast<double>(std::max(facts[2], facts[5])) / kNanoseconds;
    return newest + kSettledSeconds < unixSeconds() ? std::optional(facts) : std::nullopt;
}

api::RunSummary SummaryCache::summary(const control::RunFolder& folder) {
    const auto facts = factsOf(folder);
    if (facts) {
        const std::scoped_lock lock(m_mutex);
        if (const auto found = m_entries.find(folder.run()); found != m_entries.end() && found->second.facts == *facts)
            return found->second.summary;
    }
    auto summary = readSummary(folder);
    // A run that somebody works on may lose its controller without a trace in its files; a new controller always writes.
    if (facts && !summary.problem && api::isIdle(summary.state)) {
        const std::scoped_lock lock(m_mutex);
        m_entries[folder.run()] = {*facts, summary};
    }
    return summary;
}

void SummaryCache::keepOnly(const std::vector<control::RunFolder>& folders) {
    const std::scoped_lock lock(m_mutex);
    std::erase_if(m_entries, [&](const auto& entry) {
        return std::ranges::none_of(folders, [&](const auto& folder) { return folder.run() == entry.first; });
    });
}

}  // namespace lockstep::workbench
