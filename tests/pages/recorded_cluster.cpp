#include "recorded_cluster.h"

#include <base/file.h>
#include <store/writer.h>

#include <cmath>
#include <random>
#include <vector>

namespace lockstep::test {
namespace {

using telemetry::Batch;
using telemetry::kNoRank;

constexpr double kStepSeconds = 0.0445;

class Recorder {
public:
    Recorder(store::Writer& writer, const ClusterRun& shape) : m_writer(writer), m_shape(shape) {}

    bool write() {
        bool ok = m_writer.setMeta("name", "ResNet-20").ok() && m_writer.setMeta("strategy", "MultiWorkerMirroredStrategy").ok() &&
                  m_writer.setMeta("steps", "20000").ok();
        ok = ok && m_writer.setState(store::RunState::Staging, "started", "user").ok() &&
             m_writer.setState(store::RunState::Running, "", "controller").ok();
        for (int rank = 0; ok && rank < m_shape.ranks; ++rank) ok = writeRank(rank);
        ok = ok && writeWholeRun();
        for (std::uint64_t step = 2000; ok && step <= m_shape.steps; step += 2000)
            ok = m_writer.addEvent({timeOf(step), "checkpoint", 0, step, "Checkpoint at step " + std::to_string(step), ""}).ok();
        ok = ok && m_writer
                       .addEvent({timeOf(m_shape.lateFrom), "warning", m_shape.lateRank, m_shape.lateFrom,
                                  "Rank " + std::to_string(m_shape.lateRank) + " is late", ""})
                       .ok();
        return ok && m_writer.flush().ok();
    }

private:
    double timeOf(std::uint64_t step) const { return m_shape.started + kStepSeconds * static_cast<double>(step); }
    double noise(double width) { return width * m_normal(m_random); }

    bool store(Batch batch) {
        const std::vector<Batch> batches{std::move(batch)};
        return m_writer.append(batches, "", 0).ok();
    }

    template <class Value>
    bool series(const char* name, int rank, std::uint64_t every, Value value) {
        Batch batch{{name, rank}, {}};
        for (std::uint64_t step = every; step <= m_shape.steps; step += every)
            batch.points.push_back({step, timeOf(step), value(static_cast<double>(step))});
        return store(std::move(batch));
    }

    bool writeRank(int rank) {
        const std::string host = rank < m_shape.ranks / 2 ? "gpu-a" : "gpu-b";
        const int device = rank % (m_shape.ranks / 2);
        if (!m_writer.setRank({rank, host, "cpu:" + std::to_string(device), 4000 + rank, "running", m_shape.steps}).ok()) return false;
        const auto slow = [&](double step) {
            return rank == m_shape.lateRank && step > static_cast<double>(m_shape.lateFrom) ? 1.65 : 1.0;
        };
        const auto compute = [&](double step) { return (0.0388 + noise(0.0006)) * slow(step); };
        return series("compute_seconds", rank, 10, compute) &&
               series("input_wait_seconds", rank, 10, [&](double) { return 0.0023 + std::fabs(noise(0.0002)); }) &&
               series("communication_wait_seconds", rank, 10,
                      [&](double step) {
                          return 0.004 + std::fabs(noise(0.0004)) +
                                 (step > static_cast<double>(m_shape.lateFrom) && slow(step) == 1.0 ? 0.025 : 0);
                      }) &&
               series("step_seconds", rank, 10, [&](double step) { return 0.048 + std::fabs(noise(0.0008)) + 0.025 * (slow(step) > 1); }) &&
               series("samples_per_second", rank, 10, [&](double step) { return (1640 + noise(28)) / slow(step); }) &&
               series("device_busy_ratio", rank, 40, [&](double) { return 0.86 + noise(0.02); }) &&
               series("memory_bytes", rank, 200, [&](double) { return 1.9e9 + noise(1e6); });
    }

    bool writeWholeRun() {
        const auto loss = [](double step) { return 0.2 + 2.1 * std::exp(-step / 1900) + 0.25 * std::exp(-step / 9000); };
        return series("loss", kNoRank, 1, [&](double step) { return loss(step) * std::exp(noise(0.09)); }) &&
               series("accuracy", kNoRank, 1, [&](double step) { return std::min(1.0, 1 - loss(step) / 2.6 + noise(0.02)); }) &&
               series("val_loss", kNoRank, 775, [&](double step) { return loss(step) * 1.12 + 0.06 + noise(0.008); }) &&
               series("val_accuracy", kNoRank, 775, [&](double step) { return 0.97 - loss(step) / 2.7; }) &&
               series("gradient_norm", kNoRank, 1,
                      [&](double step) { return 0.55 + 3 * std::exp(-step / 1200) + std::fabs(noise(0.06)); }) &&
               series("learning_rate", kNoRank, 1,
                      [](double step) { return step < 1000 ? 0.4 * step / 1000 : 0.2 * (1 + std::cos(3.1416 * (step - 1000) / 19000)); });
    }

    store::Writer& m_writer;
    const ClusterRun& m_shape;
    std::mt19937_64 m_random{20};
    std::normal_distribution<double> m_normal;
};

}  // namespace

bool writeClusterRun(const std::filesystem::path& project, const std::string& id, const ClusterRun& shape) {
    const auto folder = project / "runs" / id;
    std::error_code status;
    std::filesystem::create_directories(folder / "logs", status);
    std::filesystem::create_directories(folder / "checkpoints", status);
    if (!replaceFile(folder / "spec.yaml", "schema: 1\n").ok()) return false;
    auto writer = store::Writer::open(folder / "run.db");
    return writer.ok() && Recorder(**writer, shape).write();
}

}  // namespace lockstep::test
