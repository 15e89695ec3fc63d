// The one writer of a run's run.db (format: resources/docs/formats/run-db.md). Owns the file: a second writer is refused (F610), that
// of a killed one is taken over. Threads: any; calls are serialised inside. Facts and state changes are on the disk (FULL sync) before
// the call returns; ranks and events survive the death of every process at once; points are buffered and committed (NORMAL sync) by
// flush() and by the first call 100 ms after the last commit: the owner calls flush() at that pace.
// When append, setRank or addEvent fails for want of the disk (F604, F605 full), what it brought stays buffered and goes out with the
// next commit that works: don't repeat it. A setState or setMeta that fails has not happened.
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
    // Opens or makes the file; checks it when its last writer was killed. Errors: F602, F604 (also a read-only disk or folder), F605, F609
    // (not a run.db, damaged, or newer than this program), F610 (another writer: pid).
    static Result<std::unique_ptr<Writer>> open(const std::filesystem::path& file);
    virtual ~Writer() = default;

    // Facts of the run, by key: "run", "name", "strategy", "spec", "plan", "result", … JSON or text.
    virtual Result<void> setMeta(std::string_view key, std::string_view value) = 0;
    virtual Result<void> setState(RunState state, std::string_view cause, std::string_view actor) = 0;
    virtual Result<void> setRank(const RankRow& row) = 0;
    virtual Result<void> addEvent(const Event& event) = 0;

    // Points of many series, plus how far the source (an agent's spool) has been read, in one transaction: after a crash the reader of
    // the spool goes on at spoolPosition(source), so no point is lost or stored twice. A position at or before the known one is a
    // repetition: success, nothing is added. An empty source has no position. A step below the last one of its series begins a new
    // piece of it (a run resumed from a checkpoint): readers then see the older points up to that step only. Once the run's loss has
    // fallen behind what an earlier writer left, every series of that writer is replaced from that step on by its next point, also one
    // that is measured seldom.
    // Errors: F604 also for a name of more than 200 bytes, a step above 2^63 - 1, or when 2^21 points could not be committed so far.
    virtual Result<void> append(std::span<const telemetry::Batch> batches, std::string_view source, std::uint64_t position) = 0;
    // Of what append() has taken; 0 for a new source.
    virtual Result<std::uint64_t> spoolPosition(std::string_view source) = 0;
    virtual Result<void> flush() = 0;
};

}  // namespace lockstep::store
