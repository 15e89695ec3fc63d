#include <base/log.h>

#include <base/clock.h>

#include <unistd.h>
#include <atomic>
#include <string>

namespace lockstep {
namespace {

std::string& logName() {
    static std::string name;
    return name;
}
std::atomic<LogLevel> lowestLevel{LogLevel::Info};

}  // namespace

void setLogName(std::string_view name) { logName() = name; }
void setLogLevel(LogLevel lowest) { lowestLevel = lowest; }

std::string formatLogLine(LogLevel level, std::string_view name, std::string_view text) {
    constexpr char kLetters[] = {'D', 'I', 'W', 'E'};
    std::string line = toIsoTime(unixSeconds());
    line += ' ';
    line += kLetters[static_cast<int>(level)];
    line += ' ';
    if (!name.empty()) line.append(name).append(": ");
    line += text;
    line += '\n';
    return line;
}

void log(LogLevel level, std::string_view text) {
    if (level < lowestLevel.load()) return;
    const auto line = formatLogLine(level, logName(), text);
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace lockstep
