#include <keras/isolated.h>

#include "exchange.h"

#include <base/file.h>
#include <base/paths.h>
#include <base/spawn.h>
#include <base/units.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <optional>
#include <utility>

namespace lockstep::keras {
namespace {

constexpr int kOutputNumber = 3;

// A child that is ended and reaped at the latest when this goes.
class Child {
public:
    explicit Child(pid_t pid) : m_pid(pid), m_fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))) {}
    ~Child() {
        if (m_pid < 0) return;
        ::kill(m_pid, SIGKILL);
        reap();
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    // Its wait status; nothing when the deadline came first.
    std::optional<int> await(Deadline deadline) {
        pollfd watched{m_fd.get(), POLLIN, 0};
        int ready = 0;
        do ready = ::poll(&watched, 1, deadline.pollTimeout());
        while (ready < 0 && errno == EINTR);
        if (ready <= 0) return std::nullopt;
        return reap();
    }

private:
    int reap() {
        int status = 0;
        while (::waitpid(m_pid, &status, 0) < 0 && errno == EINTR) continue;
        m_pid = -1;
        return status;
    }

    pid_t m_pid;
    Fd m_fd;
};

std::string howItEnded(int status) {
    if (!WIFSIGNALED(status)) return "gave up with exit code " + std::to_string(WEXITSTATUS(status));
    const int signal = WTERMSIG(status);
    if (signal == SIGXCPU || signal == SIGKILL) return "was ended because it took too much time or memory";
    return "broke down (signal " + std::to_string(signal) + ")";
}

// The memory file as bytes; nothing can shorten it any more.
class Answer {
public:
    static Result<Answer> map(const Fd& fd, const std::string& file) {
        const off_t size = ::lseek(fd.get(), 0, SEEK_END);
        const auto refused = [&] { return makeError("F656", {{"file", file}, {"what", "gave no answer"}}); };
        if (size <= 0 || ::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK) != 0) return refused();
        void* data = ::mmap(nullptr, static_cast<std::size_t>(size), PROT_READ, MAP_SHARED, fd.get(), 0);
        if (data == MAP_FAILED) return refused();
        return Answer(data, static_cast<std::size_t>(size));
    }
    Answer(Answer&& other) noexcept : m_data(std::exchange(other.m_data, nullptr)), m_size(other.m_size) {}
    Answer& operator=(Answer&&) = delete;
    ~Answer() {
        if (m_data != nullptr) ::munmap(m_data, m_size);
    }
    std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(m_data), m_size}; }

private:
    Answer(void* data, std::size_t size) : m_data(data), m_size(size) {}
    void* m_data;
    std::size_t m_size;
};

}  // namespace

Result<KerasFile> readKerasIsolated(const std::filesystem::path& file, const IsolationOptions& options) {
    const Deadline deadline = Deadline::in(options.deadline);
    const Fd output(::memfd_create("lockstep-answer", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!output.valid()) return makeError("X001", {{"what", "no memory file: " + systemText(errno)}});
    SpawnOptions spawn;
    spawn.program = options.program.empty() ? programFile().parent_path() / "lockstep" : options.program;
    spawn.arguments = {"worker", "--task=read-keras", "--", file.string(), "/proc/self/fd/" + std::to_string(kOutputNumber)};
    spawn.descriptors = {{output.get(), kOutputNumber}};
    LS_TRY_ASSIGN(const pid_t pid, spawnDetached(spawn));
    Child child(pid);
    const auto status = child.await(deadline);
    if (!status) return makeError("F657", {{"file", file.string()}, {"time", formatDuration(options.deadline)}});
    if (!WIFEXITED(*status) || WEXITSTATUS(*status) != 0)
        return makeError("F656", {{"file", file.string()}, {"what", howItEnded(*status)}});
    LS_TRY_ASSIGN(const auto answer, Answer::map(output, file.string()));
    return unpackAnswer(answer.bytes(), file.string());
}

}  // namespace lockstep::keras
