#include "log_session.h"

#include <base/thread.h>

#include <algorithm>
#include <iterator>

namespace lockstep::bridge {
namespace {

constexpr auto kLookEvery = std::chrono::seconds(1);
constexpr std::size_t kMostLines = 2'000'000;

// Their sizes grow all the time; who reads them wants to know which there are and what of them is never read.
bool sameFiles(const std::vector<api::LogFileInfo>& a, const std::vector<api::LogFileInfo>& b) {
    return std::ranges::equal(a, b, [](const api::LogFileInfo& x, const api::LogFileInfo& y) {
        return x.rank == y.rank && x.path == y.path && (x.unread > 0) == (y.unread > 0);
    });
}

}  // namespace

LogSession::LogSession(api::Logs& logs, RunId run, LogCalls calls) : m_logs(logs), m_run(std::move(run)), m_calls(std::move(calls)) {
    m_thread = startThread("read-log", [this](std::stop_token stop) { loop(stop); });
}

LogSession::~LogSession() {
    m_thread.request_stop();
    m_thread.join();
    m_follow.reset();
}

void LogSession::loop(std::stop_token stop) {
    while (!stop.stop_requested()) {
        if (!look())
            m_follow.reset();
        else if (!m_follow)
            follow();
        std::unique_lock lock(m_mutex);
        m_wake.wait_for(lock, stop, kLookEvery, [] { return false; });
    }
}

bool LogSession::look() {
    auto files = m_logs.files(m_run);
    if (!files.ok()) {
        if (m_problem != files.error()) m_calls.failed(files.error());
        m_problem = files.error();
        m_told.clear();
        return false;
    }
    if (m_problem) {
        m_problem.reset();
        {
            const std::scoped_lock lock(m_mutex);
            m_waiting.clear();
            m_taken = 0;
            m_started = false;
        }
        m_calls.recovered();
    }
    if (!sameFiles(*files, m_told) || !m_follow) {
        m_told = *files;
        m_calls.files(std::move(*files));
    }
    return true;
}

void LogSession::follow() {
    api::LogQuery query;
    query.last = kMostLines;
    auto follow = m_logs.follow(m_run, query, [this](const std::vector<api::LogLine>& lines) { take(lines); });
    if (follow.ok()) m_follow = std::move(*follow);
    // Empty logs call nobody: then there is nothing to wait for.
    if (std::ranges::all_of(m_told, [](const api::LogFileInfo& file) { return file.bytes == 0; })) take({});
}

void LogSession::take(const std::vector<api::LogLine>& lines) {
    {
        const std::scoped_lock lock(m_mutex);
        if (!lines.empty()) m_waiting.push_back(lines);
        m_started = true;
    }
    m_calls.arrived();
}

LogSession::Portion LogSession::takeLines(std::size_t most) {
    const std::scoped_lock lock(m_mutex);
    Portion portion;
    while (!m_waiting.empty() && portion.lines.size() < most) {
        auto& first = m_waiting.front();
        const auto count = std::min(most - portion.lines.size(), first.size() - m_taken);
        const auto begin = std::make_move_iterator(first.begin() + static_cast<std::ptrdiff_t>(m_taken));
        portion.lines.insert(portion.lines.end(), begin, begin + static_cast<std::ptrdiff_t>(count));
        m_taken += count;
        if (m_taken < first.size()) break;
        m_waiting.pop_front();
        m_taken = 0;
    }
    portion.more = !m_waiting.empty();
    portion.started = m_started;
    return portion;
}

}  // namespace lockstep::bridge
