#include "child_work.h"

#include "signals.h"

#include <base/spawn.h>

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <atomic>
#include <cerrno>
#include <csignal>

namespace lockstep::cli {
namespace {

constexpr int kSocketNumber = 3;
constexpr int kLookMilliseconds = 100;
constexpr std::size_t kLongestLine = 64u << 20;
constexpr Seconds kProgressEvery{0.1};

Error broken(const ChildWork& work, std::string how) { return makeError("X003", {{"work", work.title}, {"how", std::move(how)}}); }

// Ended and reaped at the latest when this goes.
class Child {
public:
    explicit Child(pid_t pid) : m_pid(pid) {}
    ~Child() {
        ::kill(m_pid, SIGKILL);
        reap();
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    std::string howItEnded() {
        const int status = reap();
        if (WIFSIGNALED(status)) return "was ended by signal " + std::to_string(WTERMSIG(status));
        return "left with exit code " + std::to_string(WEXITSTATUS(status)) + " and no result";
    }

private:
    int reap() {
        while (!m_status) {
            int status = 0;
            const pid_t found = ::waitpid(m_pid, &status, 0);
            if (found == m_pid || errno != EINTR) m_status = status;
        }
        return *m_status;
    }

    pid_t m_pid;
    std::optional<int> m_status;
};

// Complete lines of a socket.
class Lines {
public:
    explicit Lines(int fd) : m_fd(fd) {}

    // Waits a little. False: the other side is gone, or writes no lines.
    bool read() {
        pollfd watched{m_fd, POLLIN, 0};
        if (::poll(&watched, 1, kLookMilliseconds) <= 0) return true;
        char block[1 << 16];
        const auto count = ::read(m_fd, block, sizeof block);
        if (count < 0) return errno == EINTR;
        m_text.append(block, static_cast<std::size_t>(count));
        return count > 0 && m_text.size() < kLongestLine;
    }
    std::optional<std::string> next() {
        const auto end = m_text.find('\n');
        if (end == std::string::npos) return std::nullopt;
        std::string line = m_text.substr(0, end);
        m_text.erase(0, end + 1);
        return line;
    }

private:
    int m_fd;
    std::string m_text;
};

Error errorOf(const Json& object) {
    Error error;
    error.code = object.value("code", "X001");
    error.message = object.value("message", "");
    error.cause = object.value("cause", "");
    error.next = object.value("next", "");
    error.exitCode = object.value("exit", 1);
    return error;
}

// Nothing for progress.
std::optional<Result<Json>> resultOf(const std::string& line, const ChildWork& work, Output& output) {
    const Json object = Json::parse(line, nullptr, false);
    if (object.is_object() && object.contains("result")) return object.at("result");
    if (object.is_object() && object.contains("error")) return errorOf(object.at("error"));
    if (!object.is_object() || !object.contains("progress")) return broken(work, "gave an answer that can't be read");
    const Json& now = object.at("progress");
    const std::string label = now.value("label", "");
    output.progress().update({work.title + (label.empty() ? "" : ": " + label), now.value("done", std::uint64_t{0}),
                              now.value("total", std::uint64_t{0}), now.value("extra", ""), now.value("unit", "")});
    return std::nullopt;
}

Result<ChildEnd> await(Output& output, const ChildWork& work, int fd, Child& child) {
    const SignalWatch signals{SIGINT, SIGTERM, SIGHUP};
    Lines lines(fd);
    for (;;) {
        if (const auto signal = signals.taken()) return ChildEnd{128 + *signal, {}};
        const bool open = lines.read();
        while (auto line = lines.next()) {
            auto result = resultOf(*line, work, output);
            if (!result) continue;
            if (!result->ok()) return std::move(*result).error();
            return ChildEnd{std::nullopt, std::move(*result).value()};
        }
        if (!open) return broken(work, child.howItEnded());
    }
}

}  // namespace

Result<ChildEnd> runInChild(Output& output, const ChildWork& work) {
    int ends[2] = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return makeError("R536", {{"what", "a socket pair"}, {"reason", systemText(errno)}});
    const Fd ours(ends[0]);
    Fd theirs(ends[1]);
    SpawnOptions spawn;
    spawn.arguments = {"worker", "--task=" + work.task, "--fd=" + std::to_string(kSocketNumber)};
    spawn.environment = {{"OMP_NUM_THREADS", std::to_string(work.threads)}, {"OMP_DYNAMIC", "false"}};
    spawn.descriptors = {{theirs.get(), kSocketNumber}};
    LS_TRY_ASSIGN(const pid_t pid, spawnDetached(spawn));
    theirs.reset();
    Child child(pid);
    const std::string request = work.request.dump() + "\n";
    if (::send(ours.get(), request.data(), request.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(request.size()))
        return broken(work, child.howItEnded());
    auto end = await(output, work, ours.get(), child);
    output.progress().clear();
    return end;
}

Result<Json> WorkChannel::request() {
    std::string text;
    for (char letter = 0; letter != '\n' && text.size() < kLongestLine;) {
        const auto count = ::read(m_fd.get(), &letter, 1);
        if (count == 0 || (count < 0 && errno != EINTR)) break;
        if (count == 1) text += letter;
    }
    Json request = Json::parse(text, nullptr, false);
    if (!request.is_object()) return makeError("X002", {{"what", "this task is started by lockstep itself"}, {"help", "lockstep --help"}});
    return request;
}

void WorkChannel::progress(const ProgressState& state) {
    if (m_quiet && !m_quiet->passed()) return;
    m_quiet = Deadline::in(kProgressEvery);
    send({{"progress",
           {{"label", state.label}, {"done", state.done}, {"total", state.total}, {"extra", state.extra}, {"unit", state.unit}}}});
}

int WorkChannel::finish(const Result<Json>& result) {
    if (result.ok()) {
        send({{"result", *result}});
        return 0;
    }
    send({{"error", errorObject(result.error())}});
    return result.error().exitCode;
}

void WorkChannel::send(const Json& line) {
    const std::string text = line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    (void)writeAll(m_fd.get(), std::as_bytes(std::span(text)), "answer");
}

}  // namespace lockstep::cli
