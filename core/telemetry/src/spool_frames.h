// Header and frames of a spool file, shared by its writer and its readers.
#pragma once

#include <base/result.h>
#include <telemetry/sample.h>

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace lockstep::telemetry {

inline constexpr std::uint64_t kSpoolMagic = 0x31'4C4F4F50534CULL;  // "LSPOOL1"
inline constexpr std::uint32_t kSpoolVersion = 1;
inline constexpr std::uint32_t kFrameMagic = 0x5246534C;  // "LSFR"
inline constexpr std::uint32_t kMostFrameSamples = 1u << 14;

struct SpoolHeader {
    std::uint64_t magic = kSpoolMagic;
    std::uint32_t version = kSpoolVersion;
    std::uint32_t recordBytes = sizeof(Sample);
    std::uint64_t firstKept = sizeof(SpoolHeader);
    std::uint64_t samplesBefore = 0;
    std::uint64_t reserved[4] = {};
};
static_assert(sizeof(SpoolHeader) == 64);

struct FrameHeader {
    std::uint32_t magic = kFrameMagic;
    std::uint32_t count = 0;
    std::uint64_t samplesBefore = 0;
    std::uint32_t checksum = 0;
    std::uint32_t zero = 0;
};
static_assert(sizeof(FrameHeader) == 24);

std::uint32_t frameChecksum(const FrameHeader& header, std::span<const Sample> samples);

Error spoolDamaged(const std::filesystem::path& file, std::uint64_t offset, std::string what);

// Reads and checks the header. Errors: F603, F614.
Result<SpoolHeader> readSpoolHeader(int fd, const std::filesystem::path& file);

enum class FrameState { Whole, Torn };
struct Frame {
    FrameState state = FrameState::Torn;  // Torn: the file ends here, or what follows was never written whole
    std::uint64_t samplesBefore = 0;
    std::uint64_t next = 0;
};

// The frame at `offset`; its samples are added to `samples`. Errors: F603, F614 for a damaged frame with other bytes behind it.
Result<Frame> readFrame(int fd, const std::filesystem::path& file, std::uint64_t offset, std::vector<Sample>& samples);

}  // namespace lockstep::telemetry
