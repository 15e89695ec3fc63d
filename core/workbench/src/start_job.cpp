#include "start_job.h"

#include <base/checksum.h>
#include <base/spawn.h>
#include <wire/json_error.h>
#include <workbench/controller_report.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <nlohmann/json.hpp>

namespace lockstep::workbench {
namespace {

using Json = nlohmann::json;

// Every phase of a launch has its own time-out in the controller and is reported; silence beyond this is a fault.
constexpr Seconds kLongestSilence{120};
constexpr int kPollMilliseconds = 200;

struct Pipe {
    Fd read, write;
};

Result<Pipe> makePipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return makeError("X001", {{"what", "no pipe: " + systemText(errno)}});
    return Pipe{Fd(ends[0]), Fd(ends[1])};
}

Result<Fd> memoryFile(const std::string& text) {
    Fd fd(::memfd_create("lockstep-spec", MFD_CLOEXEC));
    if (!fd.valid()) return makeError("X001", {{"what", "no memory file: " + systemText(errno)}});
    LS_TRY(writeAll(fd.get(), asBytes(text), "specification"));
    ::lseek(fd.get(), 0, SEEK_SET);
    return fd;
}

std::string howItEnded(pid_t controller) {
    int status = 0;
    // Its descriptor is closed, so it has ended or is about to.
    for (int i = 0; i < 50; ++i) {
        if (::waitpid(controller, &status, WNOHANG) == controller) {
            if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
            return "exit code " + std::to_string(WEXITSTATUS(status));
        }
        ::usleep(20'000);
    }
    return "no exit code";
}

}  // namespace

void Children::add(pid_t child) {
    const std::scoped_lock lock(m_mutex);
    m_children.push_back(child);
}

void Children::reap() {
    const std::scoped_lock lock(m_mutex);
    std::erase_if(m_children, [](pid_t child) { return ::waitpid(child, nullptr, WNOHANG) != 0; });
}

StartJobImpl::StartJobImpl(ControllerStart start, std::shared_ptr<Children> children)
    : m_start(std::move(start)),
      m_children(std::move(children)),
      m_work("start-run", [this](BackgroundWork& work, std::stop_token stop) { return this->work(work, stop); }) {}

Result<void> StartJobImpl::work(BackgroundWork& work, std::stop_token stop) {
    work.setStage("starting the controller");
    LS_TRY_ASSIGN(auto reports, makePipe());
    SpawnOptions spawn;
    spawn.program = m_start.program;
    spawn.arguments = m_start.arguments;
    spawn.arguments.insert(spawn.arguments.end(), {"--report-fd", std::to_string(kReportFd)});
    spawn.descriptors = {{reports.write.get(), kReportFd}};
    Fd spec;
    if (m_start.specText) {
        LS_TRY_ASSIGN(spec, memoryFile(*m_start.specText));
        spawn.arguments.insert(spawn.arguments.end(), {"--spec-fd", std::to_string(kSpecFd)});
        spawn.descriptors.emplace_back(spec.get(), kSpecFd);
    }
    LS_TRY_ASSIGN(const auto controller, spawnDetached(spawn));
    reports.write.reset();
    auto outcome = listen(work, stop, reports.read.get(), controller);
    m_children->add(controller);
    return outcome;
}

Result<void> StartJobImpl::listen(BackgroundWork& work, std::stop_token stop, int reports, pid_t controller) {
    std::string buffer;
    auto deadline = Deadline::in(kLongestSilence);
    while (!stop.stop_requested()) {
        if (deadline.passed())
            return makeError("R564",
                             {{"pid", std::to_string(controller)}, {"seconds", std::to_string(static_cast<int>(kLongestSilence.count()))}});
        pollfd wait{reports, POLLIN, 0};
        if (::poll(&wait, 1, kPollMilliseconds) <= 0) continue;
        char bytes[4096];
        const auto count = ::read(reports, bytes, sizeof bytes);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return makeError("R563", {{"how", howItEnded(controller)}});
        deadline = Deadline::in(kLongestSilence);
        buffer.append(bytes, static_cast<std::size_t>(count));
        for (auto end = buffer.find('\n'); end != std::string::npos; end = buffer.find('\n')) {
            LS_TRY_ASSIGN(const bool done, take(work, buffer.substr(0, end)));
            if (done) return {};
            buffer.erase(0, end + 1);
        }
    }
    return makeError("R568", {{"what", "watching the start"}});
}

Result<bool> StartJobImpl::take(BackgroundWork& work, const std::string& line) {
    const auto object = Json::parse(line, nullptr, false);
    if (!object.is_object()) return makeError("R563", {{"how", "an unreadable report"}});
    if (object.contains("error")) return wire::errorFromJson(object["error"].dump());
    const std::scoped_lock lock(m_mutex);
    if (object.contains("started")) {
        m_started.run = RunId{object["started"].value("run", "")};
        m_started.folder = object["started"].value("folder", "");
    }
    if (!object.contains("state")) return false;
    const auto state = api::findRunState(object["state"].value("state", "")).value_or(api::RunState::Lost);
    m_started.state = state;
    work.setStage(std::string(api::nameOf(state)));
    return state == api::RunState::Running || state == api::RunState::Checkpointing || api::isFinal(state);
}

Result<api::StartedRun> StartJobImpl::result() const {
    LS_TRY(m_work.outcome());
    const std::scoped_lock lock(m_mutex);
    return m_started;
}

}  // namespace lockstep::workbench
