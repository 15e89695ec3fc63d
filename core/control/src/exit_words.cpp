#include "exit_words.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>

namespace lockstep::control {

std::string howItEnded(int exitCode, int signal) {
    if (signal == 0) return "exit code " + std::to_string(exitCode);
    const char* name = ::sigdescr_np(signal);
    return "signal " + std::to_string(signal) + (name != nullptr ? " (" + std::string(name) + ")" : "");
}

std::string whatItMeans(int exitCode, int signal) {
    switch (signal) {
        case 0: return exitCode == 0 ? "It left without a result." : "It left without saying why.";
        case SIGKILL:
            return "A person or the system's out-of-memory killer ended it (see the system's log; remedies: lockstep plan SPEC "
                   "--fit-memory SIZE).";
        case SIGTERM:
        case SIGINT: return "A person or another program ended it.";
        case SIGSEGV:
        case SIGBUS:
        case SIGABRT:
        case SIGFPE:
        case SIGILL: return "The program made a mistake in this process.";
        default: return "The system ended it.";
    }
}

bool isConsequence(std::string_view code) {
    constexpr std::array<std::string_view, 6> kCodes = {"R505", "R506", "R507", "R508", "R512", "R530"};
    return std::ranges::find(kCodes, code) != kCodes.end();
}

}  // namespace lockstep::control
