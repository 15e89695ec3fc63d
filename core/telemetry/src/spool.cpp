#include <telemetry/spool.h>

#include "spool_frames.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

namespace lockstep::telemetry {
namespace {

Error cannotWrite(const std::filesystem::path& file, int reason) {
    if (reason == ENOSPC || reason == EDQUOT) return makeError("F605", {{"file", file.string()}});
    return makeError("F604", {{"file", file.string()}, {"reason", systemText(reason)}});
}

Error cannotOpen(const std::filesystem::path& file, int reason) {
    return makeError("F602", {{"file", file.string()}, {"reason", systemText(reason)}});
}

struct End {
    std::uint64_t position;
    std::uint64_t samples;
};

Result<End> findEnd(int fd, const std::filesystem::path& file, const SpoolHeader& header) {
    End end{header.firstKept, header.samplesBefore};
    std::vector<Sample> samples;
    for (;;) {
        samples.clear();
        LS_TRY_ASSIGN(const auto frame, readFrame(fd, file, end.position, samples));
        if (frame.state == FrameState::Torn) return end;
        end = {frame.next, frame.samplesBefore + samples.size()};
    }
}

// A header that was never written whole is a new file: nothing can have been appended behind it.
Result<SpoolHeader> openHeader(int fd, const std::filesystem::path& file) {
    struct stat facts {};
    if (::fstat(fd, &facts) != 0) return cannotWrite(file, errno);
    if (static_cast<std::size_t>(facts.st_size) >= sizeof(SpoolHeader)) return readSpoolHeader(fd, file);
    const SpoolHeader header;
    if (::ftruncate(fd, 0) != 0) return cannotWrite(file, errno);
    LS_TRY(writeAll(fd, std::as_bytes(std::span(&header, 1)), file));
    return header;
}

}  // namespace

Result<Spool> Spool::open(const std::filesystem::path& file) {
    Spool spool;
    spool.m_file = file;
    spool.m_fd = Fd(::open(file.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    if (!spool.m_fd.valid()) return cannotWrite(file, errno);
    const int fd = spool.m_fd.get();
    if (::flock(fd, LOCK_EX | LOCK_NB) != 0) return makeError("F604", {{"file", file.string()}, {"reason", "another process writes it"}});
    LS_TRY_ASSIGN(const auto header, openHeader(fd, file));
    LS_TRY_ASSIGN(const auto end, findEnd(fd, file, header));
    if (::ftruncate(fd, static_cast<off_t>(end.position)) != 0) return cannotWrite(file, errno);
    spool.m_position = end.position;
    spool.m_samples = end.samples;
    return spool;
}

Result<std::uint64_t> Spool::append(std::span<const Sample> samples) {
    std::string bytes;
    bytes.reserve(samples.size_bytes() + sizeof(FrameHeader) * (1 + samples.size() / kMostFrameSamples));
    auto before = m_samples;
    for (auto rest = samples; !rest.empty();) {
        const auto part = rest.first(std::min<std::size_t>(rest.size(), kMostFrameSamples));
        FrameHeader header;
        header.count = static_cast<std::uint32_t>(part.size());
        header.samplesBefore = before;
        header.checksum = frameChecksum(header, part);
        bytes.append(reinterpret_cast<const char*>(&header), sizeof(header));
        bytes.append(reinterpret_cast<const char*>(part.data()), part.size_bytes());
        before += part.size();
        rest = rest.subspan(part.size());
    }
    if (const auto written = writeAll(m_fd.get(), std::as_bytes(std::span(bytes)), m_file); !written.ok()) {
        // Half a frame in the middle would make what follows unreadable.
        if (::ftruncate(m_fd.get(), static_cast<off_t>(m_position)) != 0) return cannotWrite(m_file, errno);
        return written.error();
    }
    m_samples = before;
    m_position += bytes.size();
    return m_position;
}

Result<void> Spool::sync() {
    if (::fdatasync(m_fd.get()) != 0) return cannotWrite(m_file, errno);
    return {};
}

Result<void> Spool::discardBefore(std::uint64_t position) {
    LS_TRY_ASSIGN(auto header, readSpoolHeader(m_fd.get(), m_file));
    position = std::min(position, m_position);
    if (position <= header.firstKept) return {};
    std::vector<Sample> samples;
    header.samplesBefore = m_samples;
    if (position < m_position) {
        LS_TRY_ASSIGN(const auto frame, readFrame(m_fd.get(), m_file, position, samples));
        if (frame.state == FrameState::Torn) return spoolDamaged(m_file, position, "no frame starts here");
        header.samplesBefore = frame.samplesBefore;
    }
    header.firstKept = position;
    // A second descriptor: pwrite(2) on one opened with O_APPEND writes at the end.
    const Fd fd(::open(m_file.c_str(), O_WRONLY | O_CLOEXEC));
    if (!fd.valid()) return cannotWrite(m_file, errno);
    if (::pwrite(fd.get(), &header, sizeof(header), 0) != ssize_t{sizeof(header)}) return cannotWrite(m_file, errno);
    const auto from = static_cast<off_t>(sizeof(SpoolHeader));
    if (::fallocate(fd.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, from, static_cast<off_t>(position) - from) != 0 &&
        errno != EOPNOTSUPP)
        return cannotWrite(m_file, errno);
    return {};
}

Result<SpoolReader> SpoolReader::open(const std::filesystem::path& file) {
    SpoolReader reader;
    reader.m_file = file;
    reader.m_fd = Fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (!reader.m_fd.valid()) return cannotOpen(file, errno);
    LS_TRY(readSpoolHeader(reader.m_fd.get(), file));
    return reader;
}

Result<SpoolPiece> SpoolReader::read(std::uint64_t position, std::size_t most) const {
    LS_TRY_ASSIGN(const auto header, readSpoolHeader(m_fd.get(), m_file));
    SpoolPiece piece;
    piece.next = std::max(position, header.firstKept);
    while (piece.samples.size() < most) {
        LS_TRY_ASSIGN(const auto frame, readFrame(m_fd.get(), m_file, piece.next, piece.samples));
        if (frame.state == FrameState::Torn) break;
        piece.next = frame.next;
    }
    return piece;
}

}  // namespace lockstep::telemetry
