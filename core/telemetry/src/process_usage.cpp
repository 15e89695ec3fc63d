#include <telemetry/process_usage.h>

#include <base/file.h>

#include <unistd.h>
#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

namespace lockstep::telemetry {
namespace {

constexpr std::uint64_t kMostProcBytes = 64 << 10;

// The `index`th (from 0) space-separated number of `text`; 0 when it is not there.
std::uint64_t numberAt(std::string_view text, int index) {
    for (; index > 0; --index) {
        const auto space = text.find(' ');
        if (space == std::string_view::npos) return 0;
        text.remove_prefix(space + 1);
    }
    std::uint64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

Result<std::string> readProc(const std::string& name) {
    auto text = readFile(name, kMostProcBytes);
    // A process that is gone shows as a missing file, or as ESRCH or an empty file between open and read.
    if (text.ok() && !text->empty()) return text;
    return makeError("F603", {{"file", name}, {"reason", "the process is over"}});
}

}  // namespace

Result<ProcessUsage> readProcessUsage(pid_t pid) {
    const auto folder = "/proc/" + (pid == 0 ? std::string("self") : std::to_string(pid));
    LS_TRY_ASSIGN(const auto memory, readProc(folder + "/statm"));
    LS_TRY_ASSIGN(const auto stat, readProc(folder + "/stat"));
    // The program's name is in parentheses and may hold spaces and parentheses itself.
    const auto close = stat.rfind(") ");
    if (close == std::string::npos) return makeError("F603", {{"file", folder + "/stat"}, {"reason", "unexpected content"}});
    const auto fields = std::string_view(stat).substr(close + 2);  // starts with field 3, the state
    ProcessUsage usage;
    usage.residentBytes = numberAt(memory, 1) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    usage.cpuSeconds = static_cast<double>(numberAt(fields, 11) + numberAt(fields, 12)) / static_cast<double>(::sysconf(_SC_CLK_TCK));
    return usage;
}

double busyRatio(const ProcessUsage& before, const ProcessUsage& after, double seconds, int cores) {
    if (seconds <= 0 || cores <= 0) return 0;
    return std::clamp((after.cpuSeconds - before.cpuSeconds) / (seconds * cores), 0.0, 1.0);
}

}  // namespace lockstep::telemetry
