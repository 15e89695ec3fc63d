// An append-only file of Samples that an agent keeps per source (runs/<id>/spool/…), so that nothing is lost while no controller
// listens. Positions are byte offsets behind whole frames; the controller stores the position it has read together with the points
// (store::Writer::append), so each sample is counted once, whoever is killed in between. A new attempt of a run uses a new file.
//
// Layout (version 1, little endian): header of 64 bytes {u64 magic, u32 version, u32 bytes per sample, u64 first kept position,
// u64 samples before it}, then frames {u32 magic, u32 number of samples n, u64 number of samples before, u32 CRC-32C of the 16 bytes
// before and of the samples, u32 zero, n × 32 bytes}.
//
// Durability: append() is one write(2), so a sample survives the death of every process at once; sync() is fdatasync(2), after which
// it survives a power cut. The agent calls sync() once a second and before it reports an exit. A torn last frame is ignored by
// readers and cut off by the next writer.
#pragma once

#include <base/file.h>
#include <base/result.h>
#include <telemetry/sample.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace lockstep::telemetry {

// The writing side: one per file (F604 when another process has it). Not thread safe.
class Spool {
public:
    // Makes the file or goes on behind its last whole frame. Errors: F604, F605; F614 not a spool, newer, or damaged before its end.
    static Result<Spool> open(const std::filesystem::path& file);

    // The position behind these samples. On error (F604, F605 disk full) the file is as before.
    Result<std::uint64_t> append(std::span<const Sample> samples);
    Result<void> sync();
    // Gives the disk space before `position` back (where the file system can); positions keep their meaning. For what the controller
    // has stored. Positions behind the end count as the end.
    Result<void> discardBefore(std::uint64_t position);

    std::uint64_t position() const { return m_position; }  // behind the last frame
    std::uint64_t samples() const { return m_samples; }    // ever appended: compare with Ring::taken() after an agent's restart

private:
    std::filesystem::path m_file;
    Fd m_fd;
    std::uint64_t m_position = 0;
    std::uint64_t m_samples = 0;
};

// Samples of a spool from a position on, and the position behind them.
struct SpoolPiece {
    std::vector<Sample> samples;
    std::uint64_t next = 0;
};

// The reading side, any number, also while the file grows. Not thread safe.
class SpoolReader {
public:
    // Errors: F602, F614.
    static Result<SpoolReader> open(const std::filesystem::path& file);

    // Whole frames from `position` (0 or a position returned before) until at least `most` samples are there or the last whole frame is
    // read. Nothing new: no samples and next = where to ask again. Errors: F603, F614 (damaged, or `position` is not one of this file).
    Result<SpoolPiece> read(std::uint64_t position, std::size_t most = 1u << 15) const;

private:
    std::filesystem::path m_file;
    Fd m_fd;
};

}  // namespace lockstep::telemetry
