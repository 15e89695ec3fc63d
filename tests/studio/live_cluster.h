// A cluster that is not there: its controller's half is real. Every tick each rank has measured each of its series once more; the points
// go into run.db as a controller writes them (batches with a spool position, a flush ten times a second, rank rows every second), and a
// socket listens where a controller's would. Values and times follow from series, rank and step, so that whoever reads can tell whether
// every point is there and right.
//
// Threads: one, and "cluster-door" inside, which answers at the socket.
#pragma once

#include <base/file.h>
#include <control/run_folder.h>
#include <store/writer.h>

#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace lockstep::test {

struct ClusterShape {
    int ranks = 16;
    int seriesOfRank = 20;
    double start = 0;    // Unix seconds of step 0
    double every = 0.1;  // s between steps
};

// What the cluster measures, of every rank and of the whole run.
std::vector<telemetry::SeriesKey> keysOf(const ClusterShape& shape);
telemetry::Point pointOf(const ClusterShape& shape, const telemetry::SeriesKey& key, std::uint64_t step);

class LiveCluster {
public:
    // Null when the store or the socket was refused. The runtime folder must exist.
    static std::unique_ptr<LiveCluster> begin(const std::filesystem::path& project, const std::string& run, const ClusterShape& shape);
    ~LiveCluster();

    // Writes `count` more steps in one go; false when the store refused something.
    bool add(std::uint64_t count = 1);
    bool end();  // completed; the socket closes
    std::uint64_t steps() const { return m_step; }
    // Steps that should have been measured by now.
    std::uint64_t due() const;

private:
    LiveCluster(control::RunFolder folder, ClusterShape shape) : m_folder(std::move(folder)), m_shape(shape) {}
    bool open();
    bool openDoor();
    bool writeRanks(const char* state);

    const control::RunFolder m_folder;
    const ClusterShape m_shape;
    const std::vector<telemetry::SeriesKey> m_keys = keysOf(m_shape);
    std::uint64_t m_step = 0;
    std::unique_ptr<store::Writer> m_writer;
    Fd m_socket;
    std::jthread m_door;
};

// Every point that `steps` steps have, compared with what is in run.db: how many there are and how many are missing or wrong.
struct StoredPoints {
    std::uint64_t wanted = 0;
    std::uint64_t found = 0;
    std::uint64_t wrong = 0;  // another step, time or value, bit for bit
};
Result<StoredPoints> compareStored(const std::filesystem::path& database, const ClusterShape& shape, std::uint64_t steps);

}  // namespace lockstep::test
