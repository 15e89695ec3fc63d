// A run folder as a controller would leave it, made with the real store.
#pragma once

#include <support/scratch.h>

#include <base/file.h>
#include <store/writer.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace lockstep::test {

class RecordedRun {
public:
    RecordedRun(const std::filesystem::path& project, std::string id) : m_id(std::move(id)), m_folder(project / "runs" / m_id) {
        std::filesystem::create_directories(m_folder / "logs");
        std::filesystem::create_directories(m_folder / "checkpoints");
        if (auto opened = store::Writer::open(m_folder / "run.db"); opened.ok()) m_writer = std::move(*opened);
    }

    const std::string& id() const { return m_id; }
    const std::filesystem::path& folder() const { return m_folder; }
    store::Writer& writer() { return *m_writer; }
    void closeWriter() { m_writer.reset(); }

    // Facts, two ranks and `steps` points of loss = 1 / step.
    bool fill(std::uint64_t steps) {
        bool ok = m_writer != nullptr;
        ok = ok && m_writer->setMeta("name", "digits").ok() && m_writer->setMeta("strategy", "MirroredStrategy").ok();
        ok = ok && m_writer->setState(store::RunState::Staging, "started", "user").ok();
        for (int rank = 0; ok && rank < 2; ++rank)
            ok = m_writer->setRank({rank, "here", "cpu:" + std::to_string(rank), 0, "completed", steps}).ok();
        return ok && addLoss(1, steps);
    }
    bool addLoss(std::uint64_t from, std::uint64_t to) {
        telemetry::Batch batch{{"loss", telemetry::kNoRank}, {}};
        for (auto step = from; step <= to; ++step)
            batch.points.push_back({step, 1000.0 + static_cast<double>(step), 1.0 / static_cast<double>(step)});
        const std::vector<telemetry::Batch> batches{batch};
        return m_writer->append(batches, "agent", to).ok() && m_writer->flush().ok();
    }
    void writeLog(const std::string& name, const std::string& text) { (void)replaceFile(m_folder / "logs" / name, text); }

private:
    std::string m_id;
    std::filesystem::path m_folder;
    std::unique_ptr<store::Writer> m_writer;
};

}  // namespace lockstep::test
