#include "spool_frames.h"

#include <base/checksum.h>
#include <base/error.h>

#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>

namespace lockstep::telemetry {
namespace {

// Bytes read: fewer than asked only at the end of the file.
Result<std::size_t> readAt(int fd, const std::filesystem::path& file, std::uint64_t offset, std::span<std::byte> into) {
    std::size_t done = 0;
    while (done < into.size()) {
        const auto got = ::pread(fd, into.data() + done, into.size() - done, static_cast<off_t>(offset + done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return makeError("F603", {{"file", file.string()}, {"reason", systemText(errno)}});
        if (got == 0) break;
        done += static_cast<std::size_t>(got);
    }
    return done;
}

Result<std::uint64_t> sizeOf(int fd, const std::filesystem::path& file) {
    struct stat facts {};
    if (::fstat(fd, &facts) != 0) return makeError("F603", {{"file", file.string()}, {"reason", systemText(errno)}});
    return static_cast<std::uint64_t>(facts.st_size);
}

// After a power cut a file may have grown without its content: zeroes up to the end.
Result<bool> onlyZeroesFrom(int fd, const std::filesystem::path& file, std::uint64_t offset) {
    std::array<std::byte, 16384> piece{};
    for (;;) {
        LS_TRY_ASSIGN(const auto got, readAt(fd, file, offset, piece));
        if (std::any_of(piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(got), [](std::byte b) { return b != std::byte{0}; }))
            return false;
        if (got < piece.size()) return true;
        offset += got;
    }
}

}  // namespace

std::uint32_t frameChecksum(const FrameHeader& header, std::span<const Sample> samples) {
    const auto head = std::as_bytes(std::span(&header, 1)).first(offsetof(FrameHeader, checksum));
    return crc32c(std::as_bytes(samples), crc32c(head));
}

Error spoolDamaged(const std::filesystem::path& file, std::uint64_t offset, std::string what) {
    return makeError("F614", {{"file", file.string()}, {"offset", std::to_string(offset)}, {"what", std::move(what)}});
}

Result<SpoolHeader> readSpoolHeader(int fd, const std::filesystem::path& file) {
    SpoolHeader header;
    LS_TRY_ASSIGN(const auto got, readAt(fd, file, 0, std::as_writable_bytes(std::span(&header, 1))));
    if (got < sizeof(header) || header.magic != kSpoolMagic) return spoolDamaged(file, 0, "this is not a telemetry spool");
    if (header.version != kSpoolVersion || header.recordBytes != sizeof(Sample))
        return spoolDamaged(file, 8, "a spool of version " + std::to_string(header.version) + ", this program reads version 1");
    if (header.firstKept < sizeof(header)) return spoolDamaged(file, 16, "the first kept position is impossible");
    return header;
}

Result<Frame> readFrame(int fd, const std::filesystem::path& file, std::uint64_t offset, std::vector<Sample>& samples) {
    LS_TRY_ASSIGN(const auto size, sizeOf(fd, file));
    Frame frame;
    frame.next = offset;
    if (offset > size) return spoolDamaged(file, offset, "the file ends before this position");
    FrameHeader header;
    LS_TRY_ASSIGN(const auto got, readAt(fd, file, offset, std::as_writable_bytes(std::span(&header, 1))));
    if (got < sizeof(header)) return frame;
    const bool plausible = header.magic == kFrameMagic && header.count > 0 && header.count <= kMostFrameSamples && header.zero == 0;
    const auto end = offset + sizeof(header) + std::uint64_t{header.count} * sizeof(Sample);
    if (plausible && end > size) return frame;
    const auto old = samples.size();
    if (plausible) {
        samples.resize(old + header.count);
        const auto added = std::span(samples).subspan(old);
        LS_TRY_ASSIGN(const auto body, readAt(fd, file, offset + sizeof(header), std::as_writable_bytes(added)));
        if (body == added.size_bytes() && frameChecksum(header, added) == header.checksum)
            return Frame{FrameState::Whole, header.samplesBefore, end};
        samples.resize(old);
        if (end == size) return frame;
    }
    LS_TRY_ASSIGN(const bool neverWritten, onlyZeroesFrom(fd, file, offset));
    if (neverWritten) return frame;
    return spoolDamaged(file, offset, "a frame's checksum differs");
}

}  // namespace lockstep::telemetry
