#include "logs.h"

#include "log_files.h"

#include <base/thread.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace lockstep::workbench {
namespace {

constexpr auto kLookEvery = std::chrono::milliseconds(100);

void keepLast(std::vector<api::LogLine>& lines, std::size_t last) {
    if (last > 0 && lines.size() > last) lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(last));
}

class LogFollow : public api::Subscription {
public:
    LogFollow(control::RunFolder folder, const api::LogQuery& query, std::function<void(const std::vector<api::LogLine>&)> added)
        : m_folder(std::move(folder)), m_rank(query.rank), m_last(query.last), m_added(std::move(added)) {
        m_thread = startThread("follow-log", [this](std::stop_token stop) { loop(stop); });
    }
    ~LogFollow() override { m_thread.request_stop(); }

private:
    void openNew() {
        const auto files = logFilesOf(m_folder, m_rank);
        if (files.size() == m_cursors.size()) return;
        const auto most = mostBytesOf(files);
        for (const auto& file : files)
            if (std::ranges::none_of(m_cursors, [&](const LogCursor& cursor) { return cursor.file().path == file.path; }))
                m_cursors.emplace_back(file).skipToLast(most);
    }

    void loop(std::stop_token stop) {
        for (bool first = true; !stop.stop_requested(); first = false) {
            openNew();
            std::vector<std::vector<api::LogLine>> perFile;
            for (auto& cursor : m_cursors) perFile.push_back(cursor.more());
            auto lines = mergeByTime(std::move(perFile));
            if (first) keepLast(lines, m_last);
            if (!lines.empty()) m_added(lines);
            std::unique_lock lock(m_mutex);
            m_wake.wait_for(lock, stop, kLookEvery, [] { return false; });
        }
    }

    const control::RunFolder m_folder;
    const std::optional<int> m_rank;
    const std::size_t m_last;
    const std::function<void(const std::vector<api::LogLine>&)> m_added;
    std::vector<LogCursor> m_cursors;
    std::mutex m_mutex;
    std::condition_variable_any m_wake;
    std::jthread m_thread;  // last: ends before what it uses
};

}  // namespace

Result<std::vector<api::LogFileInfo>> LogsImpl::files(const RunId& run) const {
    LS_TRY_ASSIGN(const auto folder, control::RunFolder::find(m_project, run.value));
    std::vector<api::LogFileInfo> files;
    const auto found = logFilesOf(folder, std::nullopt);
    const auto most = mostBytesOf(found);
    for (const auto& file : found) {
        std::error_code status;
        const auto bytes = std::filesystem::file_size(file.path, status);
        if (status) continue;  // gone meanwhile
        files.push_back({file.rank, file.path, bytes, bytes > most ? bytes - most : 0});
    }
    return files;
}

Result<api::LogText> LogsImpl::read(const RunId& run, const api::LogQuery& query) const {
    LS_TRY_ASSIGN(const auto folder, control::RunFolder::find(m_project, run.value));
    const auto files = logFilesOf(folder, query.rank);
    if (files.empty() && query.rank)
        return makeError("R562", {{"run", folder.run().value}, {"rank", std::to_string(*query.rank)}, {"folder", folder.logs().string()}});
    api::LogText text;
    std::vector<std::vector<api::LogLine>> perFile;
    const auto most = mostBytesOf(files);
    for (const auto& file : files) {
        LogCursor cursor(file);
        if (cursor.skipToLast(most)) text.cut.push_back(file.path);
        auto lines = cursor.more();
        std::ranges::move(cursor.rest(), std::back_inserter(lines));
        perFile.push_back(std::move(lines));
    }
    text.lines = mergeByTime(std::move(perFile));
    keepLast(text.lines, query.last);
    return text;
}

Result<std::unique_ptr<api::Subscription>> LogsImpl::follow(const RunId& run, const api::LogQuery& query,
                                                            std::function<void(const std::vector<api::LogLine>&)> added) const {
    LS_TRY_ASSIGN(auto folder, control::RunFolder::find(m_project, run.value));
    return std::unique_ptr<api::Subscription>(std::make_unique<LogFollow>(std::move(folder), query, std::move(added)));
}

}  // namespace lockstep::workbench
