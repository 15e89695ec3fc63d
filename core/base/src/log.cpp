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

void log(LogLevel level, std::string_view text) {
    if (level < lowestLevel.load()) return;
    constexpr char kLetters[] = {'D', 'I', 'W', 'E'};
    std::string line = toIsoTime(unixSeconds());
    line += ' ';
    line += kLetters[static_cast<int>(level)];
    line += ' ';
    if (!logName().empty()) line += logName() + ": ";
    line += text;
    line += '\n';
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace lockstep
