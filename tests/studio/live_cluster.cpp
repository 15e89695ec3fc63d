#include "live_cluster.h"

#include <base/clock.h>
#include <base/thread.h>
#include <store/reader.h>

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <bit>
#include <cmath>
#include <cstring>

namespace lockstep::test {
namespace {

using telemetry::kNoRank;

constexpr int kRanksEvery = 10;  // steps between two looks at the ranks
constexpr const char* kNames[] = {"compute_seconds",
                                  "samples_per_second",
                                  "step_seconds",
                                  "input_wait_seconds",
                                  "communication_wait_seconds",
                                  "communication_seconds",
                                  "optimizer_seconds",
                                  "device_busy_ratio",
                                  "memory_bytes",
                                  "bytes_sent",
                                  "loss",
                                  "accuracy",
                                  "gradient_norm",
                                  "learning_rate",
                                  "loss_scale",
                                  "staleness_steps"};
constexpr const char* kWholeRun[] = {"loss", "accuracy", "gradient_norm", "learning_rate"};

// In −0.5 … 0.5, the same for the same arguments everywhere.
double noise(const telemetry::SeriesKey& key, std::uint64_t step) {
    std::uint64_t x = step * 0x9E3779B97F4A7C15ULL + static_cast<std::uint64_t>(key.rank + 2) * 0xBF58476D1CE4E5B9ULL;
    for (const char c : key.name) x = (x ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
    x ^= x >> 29;
    x *= 0x94D049BB133111EBULL;
    x ^= x >> 32;
    return static_cast<double>(x >> 11) / 9007199254740992.0 - 0.5;
}

double levelOf(const std::string& name, double step) {
    if (name == "loss") return 0.25 + 2 * std::exp(-step / 300);
    if (name == "accuracy") return 0.95 - 0.8 * std::exp(-step / 300);
    if (name == "samples_per_second") return 1640;
    if (name == "memory_bytes") return 1.9e9;
    if (name == "device_busy_ratio") return 0.8;
    return name.ends_with("_seconds") ? 0.03 : 1;
}

bool same(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

}  // namespace

std::vector<telemetry::SeriesKey> keysOf(const ClusterShape& shape) {
    std::vector<telemetry::SeriesKey> keys;
    for (const char* name : kWholeRun) keys.push_back({name, kNoRank});
    for (int rank = 0; rank < shape.ranks; ++rank)
        for (int i = 0; i < shape.seriesOfRank; ++i)
            keys.push_back({i < static_cast<int>(std::size(kNames)) ? kNames[i] : "own_" + std::to_string(i), rank});
    return keys;
}

telemetry::Point pointOf(const ClusterShape& shape, const telemetry::SeriesKey& key, std::uint64_t step) {
    const auto at = static_cast<double>(step);
    return {step, shape.start + shape.every * at, levelOf(key.name, at) * (1 + 0.1 * noise(key, step))};
}

std::unique_ptr<LiveCluster> LiveCluster::begin(const std::filesystem::path& project, const std::string& run, const ClusterShape& shape) {
    auto folder = control::RunFolder::create(project, RunId{run});
    if (!folder.ok()) return nullptr;
    std::unique_ptr<LiveCluster> made(new LiveCluster(std::move(*folder), shape));
    return made->open() && made->openDoor() ? std::move(made) : nullptr;
}

LiveCluster::~LiveCluster() {
    m_door = {};
    std::error_code status;
    std::filesystem::remove(m_folder.socket(), status);
}

bool LiveCluster::open() {
    if (!replaceFile(m_folder.spec(), "schema: 1\n").ok()) return false;
    auto writer = store::Writer::open(m_folder.database());
    if (!writer.ok()) return false;
    m_writer = std::move(*writer);
    return m_writer->setMeta("name", "cluster").ok() && m_writer->setMeta("strategy", "MultiWorkerMirroredStrategy").ok() &&
           m_writer->setState(store::RunState::Staging, "started", "user").ok() && writeRanks("spawning") &&
           m_writer->setState(store::RunState::Running, "", "controller").ok();
}

bool LiveCluster::openDoor() {
    const auto path = m_folder.socket().string();
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) return false;
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    m_socket = Fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!m_socket.valid() || ::bind(m_socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return false;
    if (::listen(m_socket.get(), 64) != 0) return false;
    m_door = startThread("cluster-door", [this](std::stop_token stop) {
        while (!stop.stop_requested()) {
            pollfd wait{m_socket.get(), POLLIN, 0};
            if (::poll(&wait, 1, 50) > 0) Fd(::accept4(m_socket.get(), nullptr, nullptr, SOCK_CLOEXEC));
        }
    });
    return true;
}

bool LiveCluster::writeRanks(const char* state) {
    for (int rank = 0; rank < m_shape.ranks; ++rank) {
        const std::string host = rank < m_shape.ranks / 2 ? "gpu-a" : "gpu-b";
        if (!m_writer->setRank({rank, host, "cpu:" + std::to_string(rank), 0, state, m_step}).ok()) return false;
    }
    return true;
}

std::uint64_t LiveCluster::due() const {
    return static_cast<std::uint64_t>(std::max(0.0, (unixSeconds() - m_shape.start) / m_shape.every));
}

bool LiveCluster::add(std::uint64_t count) {
    std::vector<telemetry::Batch> batches;
    for (const auto& key : m_keys) {
        batches.push_back({key, {}});
        for (std::uint64_t i = 1; i <= count; ++i) batches.back().points.push_back(pointOf(m_shape, key, m_step + i));
    }
    const auto before = m_step;
    m_step += count;
    if (!m_writer->append(batches, "samples-0", m_step).ok()) return false;
    if (m_step / kRanksEvery != before / kRanksEvery && !writeRanks("running")) return false;
    return m_writer->flush().ok();
}

bool LiveCluster::end() {
    const bool written = writeRanks("completed") && m_writer->setState(store::RunState::Completed, "", "controller").ok();
    m_door = {};
    m_socket.reset();
    m_writer.reset();
    return written;
}

Result<StoredPoints> compareStored(const std::filesystem::path& database, const ClusterShape& shape, std::uint64_t steps) {
    LS_TRY_ASSIGN(const auto reader, store::Reader::open(database));
    StoredPoints result;
    for (const auto& key : keysOf(shape)) {
        LS_TRY_ASSIGN(const auto points, reader->points(key));
        result.wanted += steps;
        result.found += points.size();
        for (std::size_t i = 0; i < points.size(); ++i) {
            const auto wanted = pointOf(shape, key, i + 1);
            const auto& point = points[i];
            if (point.step != wanted.step || !same(point.time, wanted.time) || !same(point.value, wanted.value)) ++result.wrong;
        }
    }
    return result;
}

}  // namespace lockstep::test
