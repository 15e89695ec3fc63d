// What benchmarks of memory share: a run in a process of its own, and what the kernel says of this one.
#pragma once

#include <nlohmann/json.hpp>

#include <sys/wait.h>
#include <unistd.h>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace lockstep::bench {

// A size of /proc/self/status in bytes: "VmRSS", "VmHWM" (the highest it ever was). 0: the kernel doesn't say.
inline std::uint64_t statusBytes(const char* field) {
    std::ifstream status("/proc/self/status");
    std::string line;
    while (std::getline(status, line)) {
        if (!line.starts_with(field)) continue;
        std::istringstream words(line.substr(std::strlen(field) + 1));
        std::uint64_t kilobytes = 0;
        words >> kilobytes;
        return kilobytes << 10;
    }
    return 0;
}

// Runs this program again with these arguments; what it prints is one JSON value. Discarded when it is none.
inline nlohmann::json ask(const std::vector<std::string>& arguments) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) std::abort();
    std::fflush(nullptr);
    std::vector<char*> words{const_cast<char*>("bench")};
    for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
    words.push_back(nullptr);
    const pid_t pid = ::fork();
    if (pid == 0) {
        ::dup2(ends[1], 1);
        ::close(ends[0]);
        ::execv("/proc/self/exe", words.data());
        ::_exit(127);
    }
    ::close(ends[1]);
    std::string text;
    std::array<char, 4096> buffer{};
    for (ssize_t got = 0; (got = ::read(ends[0], buffer.data(), buffer.size())) > 0;)
        text.append(buffer.data(), static_cast<std::size_t>(got));
    ::close(ends[0]);
    ::waitpid(pid, nullptr, 0);
    return nlohmann::json::parse(text, nullptr, false);
}

// Prints what a child was asked for. The exit code.
template <class Answer>
int tell(const Answer& answer) {
    if (!answer.ok()) {
        std::fprintf(stderr, "%s\n", answer.error().toText().c_str());
        return 1;
    }
    std::printf("%s\n", answer->dump().c_str());
    return 0;
}

}  // namespace lockstep::bench
