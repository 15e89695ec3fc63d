// What the tests of the store share: plain SQL on a file, and comparison of points bit by bit.
#pragma once

#include <telemetry/sample.h>

#include <sqlite3.h>

#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <bit>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace lockstep::test {

// First column of the first row as text; "error: …" when it fails. For looking at a file past the classes under test.
inline std::string sql(const std::filesystem::path& file, const std::string& text) {
    sqlite3* connection = nullptr;
    std::string answer;
    if (sqlite3_open_v2(file.c_str(), &connection, SQLITE_OPEN_READWRITE, nullptr) == SQLITE_OK) {
        char* error = nullptr;
        const auto take = [](void* place, int, char** values, char**) {
            auto& into = *static_cast<std::string*>(place);
            if (into.empty() && values[0] != nullptr) into = values[0];
            return 0;
        };
        if (sqlite3_exec(connection, text.c_str(), take, &answer, &error) != SQLITE_OK) answer = std::string("error: ") + error;
        sqlite3_free(error);
    }
    sqlite3_close_v2(connection);
    return answer;
}

inline bool sameBits(const std::vector<telemetry::Point>& a, const std::vector<telemetry::Point>& b) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](const telemetry::Point& x, const telemetry::Point& y) {
               return x.step == y.step && std::bit_cast<std::uint64_t>(x.time) == std::bit_cast<std::uint64_t>(y.time) &&
                      std::bit_cast<std::uint64_t>(x.value) == std::bit_cast<std::uint64_t>(y.value);
           });
}

// Runs `body` in a child process; its exit status, or -1 when it was ended by a signal.
inline int inChild(const std::function<int()>& body) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(body());
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace lockstep::test
