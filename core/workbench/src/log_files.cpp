#include "log_files.h"

#include <base/file.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <utility>

namespace lockstep::workbench {
namespace {

constexpr std::size_t kReadBytes = 256u << 10;
constexpr std::uint64_t kMostOfAll = 128u << 20, kLeastOfEach = 16u << 20;
constexpr std::size_t kLongestLine = 1u << 20;  // longer ones are cut in pieces: a broken file must not fill the memory

std::optional<int> numberAt(std::string_view text, std::size_t from, std::size_t length) {
    int value = 0;
    const auto* begin = text.data() + from;
    const auto [end, status] = std::from_chars(begin, begin + length, value);
    if (status != std::errc() || end != begin + length) return std::nullopt;
    return value;
}

std::optional<int> rankOfName(const std::string& name) {
    constexpr std::string_view before = "rank-", after = ".log";
    if (!name.starts_with(before) || !name.ends_with(after) || name.size() <= before.size() + after.size()) return std::nullopt;
    return numberAt(name, before.size(), name.size() - before.size() - after.size());
}

}  // namespace

std::vector<LogFile> logFilesOf(const control::RunFolder& folder, std::optional<int> rank) {
    std::vector<LogFile> files;
    std::error_code status;
    if (!rank || *rank == api::kController)
        if (std::filesystem::exists(folder.controllerLog(), status)) files.push_back({api::kController, folder.controllerLog()});
    for (const auto& entry : std::filesystem::directory_iterator(folder.logs(), status)) {
        const auto number = rankOfName(entry.path().filename().string());
        if (number && (!rank || *rank == *number)) files.push_back({*number, entry.path()});
    }
    std::ranges::sort(files, {}, &LogFile::rank);
    return files;
}

// What small files leave over is for the large ones.
std::uint64_t mostBytesOf(const std::vector<LogFile>& files) {
    std::vector<std::uint64_t> sizes;
    for (const auto& file : files) {
        std::error_code status;
        const auto size = std::filesystem::file_size(file.path, status);
        sizes.push_back(status ? 0 : size);
    }
    std::ranges::sort(sizes);
    auto left = kMostOfAll;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const auto share = left / (sizes.size() - i);
        if (sizes[i] > share) return std::max(kLeastOfEach, share);
        left -= sizes[i];
    }
    return kMostOfAll;
}

double timeOfLogLine(std::string_view line) {
    constexpr std::string_view shape = "0000-00-00T00:00:00.000Z";
    if (line.size() < shape.size()) return 0;
    for (std::size_t i = 0; i < shape.size(); ++i)
        if (shape[i] == '0' ? (line[i] < '0' || line[i] > '9') : line[i] != shape[i]) return 0;
    const auto at = [&](std::size_t from, std::size_t length) { return numberAt(line, from, length).value_or(0); };
    const std::chrono::year_month_day date{std::chrono::year(at(0, 4)), std::chrono::month(static_cast<unsigned>(at(5, 2))),
                                           std::chrono::day(static_cast<unsigned>(at(8, 2)))};
    if (!date.ok()) return 0;
    const auto days = static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
    return days * 86400 + at(11, 2) * 3600 + at(14, 2) * 60 + at(17, 2) + at(20, 3) / 1000.0;
}

bool LogCursor::skipToLast(std::uint64_t bytes) {
    std::error_code status;
    const auto size = std::filesystem::file_size(m_file.path, status);
    if (status || size <= bytes) return false;
    m_position = size - bytes;
    m_dropFirst = true;  // the reading starts inside a line
    return true;
}

api::LogLine LogCursor::lineOf(std::string_view text) {
    if (const auto time = timeOfLogLine(text); time > 0) m_time = std::max(m_time, time);
    return {m_time, m_file.rank, std::string(text)};
}

std::vector<api::LogLine> LogCursor::more() {
    std::vector<api::LogLine> lines;
    const Fd fd(::open(m_file.path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd.valid()) return lines;
    struct stat facts {};
    if (::fstat(fd.get(), &facts) == 0 && static_cast<std::uint64_t>(facts.st_size) <= m_position) return lines;  // most looks find nothing
    std::string buffer(kReadBytes, '\0');
    for (;;) {
        const auto count = ::pread(fd.get(), buffer.data(), buffer.size(), static_cast<off_t>(m_position));
        if (count <= 0) return lines;
        m_position += static_cast<std::uint64_t>(count);
        m_partial.append(buffer, 0, static_cast<std::size_t>(count));
        std::size_t begin = 0;
        for (auto end = m_partial.find('\n'); end != std::string::npos; end = m_partial.find('\n', begin)) {
            if (!std::exchange(m_dropFirst, false)) lines.push_back(lineOf(std::string_view(m_partial).substr(begin, end - begin)));
            begin = end + 1;
        }
        m_partial.erase(0, begin);
        if (m_partial.size() > kLongestLine) {
            lines.push_back(lineOf(m_partial));
            m_partial.clear();
        }
    }
}

std::vector<api::LogLine> LogCursor::rest() {
    std::vector<api::LogLine> lines;
    if (!m_partial.empty()) lines.push_back(lineOf(m_partial));
    m_partial.clear();
    return lines;
}

std::vector<api::LogLine> mergeByTime(std::vector<std::vector<api::LogLine>> perFile) {
    std::vector<api::LogLine> merged;
    for (auto& lines : perFile) std::ranges::move(lines, std::back_inserter(merged));
    std::ranges::stable_sort(merged, {}, &api::LogLine::time);
    return merged;
}

}  // namespace lockstep::workbench
