// Groups of every transport for tests: ranks as threads of this process, and ranks as processes.
#pragma once

#include <comm/group.h>
#include <support/scratch.h>

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace lockstep::test {

inline constexpr std::array kTransports = {"threads", "shm", "tcp"};
inline constexpr std::array kProcessTransports = {"shm", "tcp"};

// A name no other test uses: "/lockstep-<uid>-<8 hex>-1".
std::string freshSegmentName();
// The files of /dev/shm that belong to this name.
bool segmentExists(const std::string& name);

// A group of `size` ranks, all in this process. Transport: "threads", "shm", "tcp". Throws std::runtime_error with the error text.
std::vector<std::unique_ptr<comm::Group>> makeGroups(const std::string& transport, int size, std::size_t capacity = 1 << 20);

// Options of one TCP group on 127.0.0.1, ports chosen by the system, sockets already listening.
std::vector<comm::TcpOptions> tcpOptions(int size);
std::vector<Result<std::unique_ptr<comm::Group>>> joinAll(const std::vector<comm::TcpOptions>& options);

// Calls `body` once per rank, each in its own thread; returns when all are done.
void onEachRank(int size, const std::function<void(int rank)>& body);
void onEachRank(std::vector<std::unique_ptr<comm::Group>>& groups, const std::function<void(int rank, comm::Group&)>& body);

// Ranks as processes: this program again, see rank_process.cpp. They all-reduce until an error comes and then write its text.
class RankProcesses {
public:
    RankProcesses(const std::string& transport, int size);
    ~RankProcesses();
    // Whether rank r has finished at least one all-reduce, waited for.
    bool waitUntilBusy(int rank) const;
    void kill(int rank);
    // The error that ended this rank, empty when none came in time.
    std::string outcome(int rank) const;
    const std::string& segment() const { return m_segment; }

private:
    Scratch m_scratch;
    std::string m_segment;
    std::vector<int> m_processes;
};

}  // namespace lockstep::test
