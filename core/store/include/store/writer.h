// The one writer of a run's run.db (format: resources/docs/formats/run-db.md). Owns the file: a second writer is refused (F610).
// Threads: any; calls are serialised inside. State changes are committed with FULL sync before the call returns; metrics are buffered
// and committed with NORMAL sync at least every 100 ms by flush() or the next call.
#pragma once

#include <base/result.h>
#include <store/run_state.h>
#include <telemetry/sample.h>

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::store {

class Writer {
public:
    // Opens or makes the file. Errors: F602, F609 (not a run.db, or newer than this program), F610 (another writer: pid).
    static Result<std::unique_ptr<Writer>> open(const std::filesystem::path& file);
    virtual ~Writer() = default;

    // Facts of the run, by key: "run", "name", "strategy", "spec", "plan", "result", … JSON or text.
    virtual Result<void> setMeta(std::string_view key, std::string_view value) = 0;
    virtual Result<void> setState(RunState state, std::string_view cause, std::string_view actor) = 0;
    virtual Result<void> setRank(const RankRow& row) = 0;
    virtual Result<void> addEvent(const Event& event) = 0;

    // Points of many series, plus how far the source (an agent's spool) has been read, in one transaction: after a crash the reader of
    // the spool goes on at spoolPosition(source), so no point is lost or stored twice.
    virtual Result<void> append(std::span<const telemetry::Batch> batches, std::string_view source, std::uint64_t position) = 0;
    virtual Result<std::uint64_t> spoolPosition(std::string_view source) = 0;
    virtual Result<void> flush() = 0;
};

}  // namespace lockstep::store
