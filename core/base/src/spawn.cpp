#include <base/spawn.h>

#include <base/paths.h>

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <csignal>

namespace lockstep {
namespace {

constexpr int kSafeNumber = 200;  // above every number a child asks for, so that no dup2 overwrites a later source

class FileActions {
public:
    FileActions() { posix_spawn_file_actions_init(&m_actions); }
    ~FileActions() { posix_spawn_file_actions_destroy(&m_actions); }
    FileActions(const FileActions&) = delete;
    FileActions& operator=(const FileActions&) = delete;
    posix_spawn_file_actions_t* get() { return &m_actions; }

private:
    posix_spawn_file_actions_t m_actions{};
};

// A session of its own and no signal blocked or ignored, whatever the caller has.
class Attributes {
public:
    Attributes() {
        posix_spawnattr_init(&m_attributes);
        sigset_t none;
        sigset_t all;
        sigemptyset(&none);
        sigfillset(&all);
        posix_spawnattr_setsigmask(&m_attributes, &none);
        posix_spawnattr_setsigdefault(&m_attributes, &all);
        posix_spawnattr_setflags(&m_attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    }
    ~Attributes() { posix_spawnattr_destroy(&m_attributes); }
    Attributes(const Attributes&) = delete;
    Attributes& operator=(const Attributes&) = delete;
    const posix_spawnattr_t* get() const { return &m_attributes; }

private:
    posix_spawnattr_t m_attributes{};
};

std::vector<std::string> makeEnvironment(const SpawnOptions& options) {
    std::vector<std::string> all;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text(*entry);
        const auto name = text.substr(0, text.find('='));
        bool replaced = false;
        for (const auto& [key, value] : options.environment) replaced = replaced || key == name;
        if (!replaced) all.emplace_back(text);
    }
    for (const auto& [key, value] : options.environment) all.push_back(key + "=" + value);
    return all;
}

std::vector<char*> toPointers(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (auto& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

Error refused(std::string what, int reason) { return makeError("R536", {{"what", std::move(what)}, {"reason", systemText(reason)}}); }

}  // namespace

Result<pid_t> spawnDetached(const SpawnOptions& options) {
    const auto program = options.program.empty() ? programFile() : options.program;
    const auto outputPath = options.output.empty() ? std::filesystem::path("/dev/null") : options.output;
    const Fd output(::open(outputPath.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    if (!output.valid()) return makeError("F602", {{"file", outputPath.string()}, {"reason", systemText(errno)}});

    FileActions actions;
    std::vector<Fd> sources;
    int highest = STDERR_FILENO;
    posix_spawn_file_actions_addopen(actions.get(), STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(actions.get(), output.get(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(actions.get(), output.get(), STDERR_FILENO);
    for (const auto& [ours, childs] : options.descriptors) {
        sources.emplace_back(::fcntl(ours, F_DUPFD_CLOEXEC, kSafeNumber));
        if (!sources.back().valid()) return refused(program.string(), errno);
        posix_spawn_file_actions_adddup2(actions.get(), sources.back().get(), childs);
        highest = std::max(highest, childs);
    }
    posix_spawn_file_actions_addclosefrom_np(actions.get(), highest + 1);

    std::vector<std::string> arguments = options.arguments;
    arguments.insert(arguments.begin(), program.string());
    auto environment = makeEnvironment(options);
    const Attributes attributes;
    pid_t pid = -1;
    const int failed =
        posix_spawn(&pid, program.c_str(), actions.get(), attributes.get(), toPointers(arguments).data(), toPointers(environment).data());
    if (failed == ENOENT)
        return makeError("P801", {{"program", program.string()}, {"what", "starting a process of Lockstep"}, {"package", "lockstep"}});
    if (failed != 0) return refused(program.string(), failed);
    return pid;
}

}  // namespace lockstep
