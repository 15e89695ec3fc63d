#include "ranks.h"

#include <base/file.h>
#include <base/ids.h>
#include <base/paths.h>
#include <comm/endpoint.h>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <stdexcept>
#include <thread>

extern char** environ;

namespace lockstep::test {
namespace {

constexpr int kPatienceSeconds = 20;

std::string waitForFile(const std::filesystem::path& path) {
    const auto deadline = Deadline::in(Seconds(kPatienceSeconds));
    while (!deadline.passed()) {
        if (std::filesystem::exists(path)) return readFile(path).value();
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return {};
}

}  // namespace

std::string freshSegmentName() { return "/lockstep-" + std::to_string(getuid()) + "-" + randomHex(4) + "-1"; }
bool segmentExists(const std::string& name) { return std::filesystem::exists("/dev/shm" + name); }

void onEachRank(int size, const std::function<void(int)>& body) {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < size; ++rank) threads.emplace_back(body, rank);
}

void onEachRank(std::vector<std::unique_ptr<comm::Group>>& groups, const std::function<void(int, comm::Group&)>& body) {
    onEachRank(static_cast<int>(groups.size()), [&](int rank) { body(rank, *groups[rank]); });
}

std::vector<comm::TcpOptions> tcpOptions(int size) {
    std::vector<comm::TcpOptions> options(size);
    std::vector<std::string> addresses;
    for (auto& one : options) {
        auto listener = comm::listenAt({"127.0.0.1", 0});
        if (!listener.ok()) throw std::runtime_error(listener.error().toText());
        one.listenFd = listener->socket.release();
        addresses.push_back("127.0.0.1:" + std::to_string(listener->port));
    }
    for (int rank = 0; rank < size; ++rank) {
        options[rank].rank = rank;
        options[rank].size = size;
        options[rank].epoch = 1;
        options[rank].run = "20260301-120000-abcd";
        options[rank].key = "a key of thirty-two random bytes";
        options[rank].addresses = addresses;
        options[rank].deadline = Deadline::in(Seconds(kPatienceSeconds));
    }
    return options;
}

std::vector<Result<std::unique_ptr<comm::Group>>> joinAll(const std::vector<comm::TcpOptions>& options) {
    std::vector<Result<std::unique_ptr<comm::Group>>> results;
    for (std::size_t i = 0; i < options.size(); ++i) results.emplace_back(makeError("X001", {{"what", "not joined"}}));
    onEachRank(static_cast<int>(options.size()), [&](int index) { results[index] = comm::joinTcp(options[index]); });
    return results;
}

std::vector<std::unique_ptr<comm::Group>> makeGroups(const std::string& transport, int size, std::size_t capacity) {
    if (transport == "threads") return comm::makeThreadGroups(size);
    std::vector<std::unique_ptr<comm::Group>> groups(size);
    if (transport == "tcp") {
        auto results = joinAll(tcpOptions(size));
        for (int rank = 0; rank < size; ++rank) {
            if (!results[rank].ok()) throw std::runtime_error(results[rank].error().toText());
            groups[rank] = std::move(*results[rank]);
        }
        return groups;
    }
    std::vector<std::string> errors(size);
    const auto name = freshSegmentName();
    onEachRank(size, [&](int rank) {
        comm::SharedMemoryOptions options;
        options.name = name;
        options.rank = rank;
        options.size = size;
        options.epoch = 1;
        options.capacity = capacity;
        auto group = comm::joinSharedMemory(options);
        if (group.ok())
            groups[rank] = std::move(*group);
        else
            errors[rank] = group.error().toText();
    });
    for (const auto& error : errors)
        if (!error.empty()) throw std::runtime_error(error);
    return groups;
}

RankProcesses::RankProcesses(const std::string& transport, int size) : m_segment(freshSegmentName()) {
    const auto program = programFile().string();
    std::string addresses;
    if (transport == "tcp")
        for (auto& options : tcpOptions(size)) {
            // Given up here and bound again there: the way of ranks that are started by hand.
            ::close(options.listenFd);
            addresses.clear();
            for (const auto& address : options.addresses) addresses += address + " ";
        }
    for (int rank = 0; rank < size; ++rank) {
        std::vector<std::string> settings = {"LOCKSTEP_TEST_RANK=" + std::to_string(rank), "LOCKSTEP_TEST_SIZE=" + std::to_string(size),
                                             "LOCKSTEP_TEST_ADDRESSES=" + addresses, "LOCKSTEP_TEST_SEGMENT=" + m_segment,
                                             "LOCKSTEP_TEST_FOLDER=" + m_scratch.path().string()};
        std::vector<char*> environment;
        for (auto& setting : settings) environment.push_back(setting.data());
        for (char** entry = environ; *entry != nullptr; ++entry) environment.push_back(*entry);
        environment.push_back(nullptr);
        std::string only = "--only";
        std::string file = "rank_process";
        std::string silent = "-silent";
        std::vector<char*> arguments = {const_cast<char*>(program.c_str()), only.data(), file.data(), silent.data(), nullptr};
        pid_t process = -1;
        if (posix_spawn(&process, program.c_str(), nullptr, nullptr, arguments.data(), environment.data()) != 0)
            throw std::runtime_error("cannot start a rank process");
        m_processes.push_back(process);
    }
}

RankProcesses::~RankProcesses() {
    for (const int process : m_processes) {
        if (process < 0) continue;
        ::kill(process, SIGKILL);
        ::waitpid(process, nullptr, 0);
    }
}

bool RankProcesses::waitUntilBusy(int rank) const { return !waitForFile(m_scratch / (std::to_string(rank) + ".busy")).empty(); }

void RankProcesses::kill(int rank) {
    ::kill(m_processes[rank], SIGKILL);
    ::waitpid(m_processes[rank], nullptr, 0);
    m_processes[rank] = -1;
}

std::string RankProcesses::outcome(int rank) const { return waitForFile(m_scratch / (std::to_string(rank) + ".end")); }

}  // namespace lockstep::test
