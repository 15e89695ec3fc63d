#include "program.h"

#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <vector>

namespace lockstep::test {

QString programPath() { return QString::fromLocal8Bit(qgetenv("LOCKSTEP_BIN")) + "/lockstep"; }

Program::Program() : m_environment(QProcessEnvironment::systemEnvironment()) {
    for (const char* name : {"TF_CONFIG", "NO_COLOR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"}) m_environment.remove(name);
    m_environment.insert("HOME", QString::fromStdString((m_scratch / "home").string()));
    m_environment.insert("XDG_RUNTIME_DIR", QString::fromStdString((m_scratch / "rt").string()));
    std::filesystem::create_directories(m_scratch / "home");
    std::filesystem::create_directories(m_scratch / "rt");
    std::filesystem::permissions(m_scratch / "rt", std::filesystem::perms::owner_all);
}

Program::~Program() = default;

std::unique_ptr<QProcess> Program::start(const QStringList& arguments) {
    auto process = std::make_unique<QProcess>();
    process->setProcessEnvironment(m_environment);
    process->setWorkingDirectory(QString::fromStdString(folder().string()));
    process->setStandardInputFile(QProcess::nullDevice());
    process->start(programPath(), arguments);
    process->waitForStarted();
    return process;
}

Ended Program::finish(QProcess& process, int seconds) {
    Ended ended;
    const bool inTime = process.waitForFinished(seconds * 1000);
    if (!inTime) {
        process.kill();
        process.waitForFinished(5000);
    }
    ended.out = process.readAllStandardOutput().toStdString();
    ended.err = process.readAllStandardError().toStdString();
    if (inTime && process.exitStatus() == QProcess::NormalExit) ended.code = process.exitCode();
    return ended;
}

Ended Program::run(const QStringList& arguments, int seconds) {
    const auto process = start(arguments);
    return finish(*process, seconds);
}

namespace {

[[noreturn]] void becomeProgram(const std::vector<std::string>& words, const std::vector<std::string>& variables,
                                const std::string& folder) {
    std::vector<char*> argv, env;
    for (const auto& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    for (const auto& variable : variables) env.push_back(const_cast<char*>(variable.c_str()));
    argv.push_back(nullptr);
    env.push_back(nullptr);
    if (chdir(folder.c_str()) == 0) execve(argv[0], argv.data(), env.data());
    _exit(127);
}

}  // namespace

Ended Program::runOnTerminal(const QStringList& arguments, const std::string& input, int seconds) {
    std::vector<std::string> words{programPath().toStdString()}, variables;
    for (const auto& argument : arguments) words.push_back(argument.toStdString());
    for (const auto& variable : m_environment.toStringList()) variables.push_back(variable.toStdString());
    winsize size{25, 100, 0, 0};
    int terminal = -1;
    const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
    if (child == 0) becomeProgram(words, variables, folder().string());
    Ended ended;
    if (child < 0) return ended;
    [[maybe_unused]] const auto sent = write(terminal, input.data(), input.size());
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
    char buffer[4096];
    bool open = true;
    while (open && std::chrono::steady_clock::now() < end) {
        pollfd wait{terminal, POLLIN, 0};
        if (poll(&wait, 1, 100) <= 0) continue;
        const auto count = read(terminal, buffer, sizeof buffer);
        open = count > 0;
        if (open) ended.out.append(buffer, static_cast<std::size_t>(count));
    }
    if (open) kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    close(terminal);
    if (!open && WIFEXITED(status)) ended.code = WEXITSTATUS(status);
    return ended;
}

}  // namespace lockstep::test
