// What tests of dying processes share: finding them, and waiting for a run to train.
#pragma once

#include "program.h"

#include <base/file.h>
#include <base/ids.h>

#include <QElapsedTimer>

#include <unistd.h>
#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace lockstep::test {

inline std::string commandOf(const std::filesystem::path& process) {
    auto text = readFile(process / "cmdline", 1u << 16);
    if (!text.ok()) return {};
    std::ranges::replace(*text, '\0', ' ');
    return *text;
}

// Processes whose command line holds all these words.
inline std::vector<pid_t> processesWith(const std::vector<std::string>& words) {
    std::vector<pid_t> found;
    std::error_code status;
    for (std::filesystem::directory_iterator entry("/proc", status), end; !status && entry != end; entry.increment(status)) {
        const auto name = entry->path().filename().string();
        pid_t pid = 0;
        const auto parsed = std::from_chars(name.data(), name.data() + name.size(), pid);
        if (parsed.ec != std::errc() || parsed.ptr != name.data() + name.size() || pid == ::getpid()) continue;
        const auto command = commandOf(entry->path());
        if (std::ranges::all_of(words, [&](const std::string& word) { return command.find(word) != std::string::npos; }))
            found.push_back(pid);
    }
    return found;
}

inline bool within(int milliseconds, const std::function<bool()>& done) {
    QElapsedTimer timer;
    timer.start();
    while (!done()) {
        if (timer.elapsed() > milliseconds) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return true;
}

// The id of the program's only run, once it trains; empty when it does not within 20 s.
inline std::string runOf(Program& program) {
    std::string run;
    const auto runs = program.folder() / "runs";
    const bool found = within(20000, [&] {
        std::error_code status;
        for (std::filesystem::directory_iterator entry(runs, status), end; !status && entry != end; entry.increment(status))
            if (isRunId(entry->path().filename().string())) run = entry->path().filename().string();
        return !run.empty();
    });
    const auto state = [&] { return program.run({"status", QString::fromStdString(run), "--json"}).json()["runs"][0]["state"]; };
    return found && within(20000, [&] { return state() == "running"; }) ? run : std::string();
}

}  // namespace lockstep::test
