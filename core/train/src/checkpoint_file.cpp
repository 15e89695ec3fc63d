#include <train/checkpoint.h>

#include "checkpoint_header.h"

#include <base/checksum.h>
#include <base/file.h>

#include <fcntl.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <cstring>

namespace lockstep::train {
namespace {

// The 24 bytes in front; never change them.
struct Preamble {
    std::array<char, 8> magic = {'L', 'S', 'C', 'K', 'P', 'T', '1', '\n'};
    std::uint64_t headerBytes = 0;
    std::uint32_t headerChecksum = 0;
    std::uint32_t ownChecksum = 0;  // of the 20 bytes before
};
static_assert(sizeof(Preamble) == 24);

std::uint32_t checksumOf(const Preamble& preamble) { return crc32c(std::as_bytes(std::span(&preamble, 1)).first(20)); }

Error damaged(const std::filesystem::path& file, const std::string& reason) {
    return makeError("C701", {{"checkpoint", file.stem().string()},
                              {"reason", "In " + file.string() + ": " + reason + "."},
                              {"next", "An earlier checkpoint is used when there is one."}});
}

std::string_view textOf(std::span<const std::byte> bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

// Why these bytes are no checkpoint; empty when they are.
std::string parse(std::span<const std::byte> bytes, Checkpoint& checkpoint) {
    Preamble preamble;
    if (bytes.size() < sizeof preamble) return "it has only " + std::to_string(bytes.size()) + " bytes";
    std::memcpy(&preamble, bytes.data(), sizeof preamble);
    if (preamble.magic != Preamble().magic) return "it does not start like a checkpoint";
    if (preamble.ownChecksum != checksumOf(preamble)) return "the checksum of its first bytes differs";
    bytes = bytes.subspan(sizeof preamble);
    if (preamble.headerBytes > kMostHeaderBytes || preamble.headerBytes > bytes.size()) return "its header is cut off";
    const auto header = bytes.first(preamble.headerBytes);
    if (crc32c(header) != preamble.headerChecksum) return "the checksum of its header differs";
    std::string reason;
    auto parsed = parseHeader(textOf(header), reason);
    if (!parsed) return reason;
    bytes = bytes.subspan(header.size());
    for (std::size_t i = 0; i < parsed->checksums.size(); ++i) {
        StateTensor& tensor = parsed->checkpoint.tensors[i];
        const std::size_t size = tensor.type.bytes();
        if (bytes.size() < size) return "it ends inside " + tensor.name;
        const auto values = bytes.first(size);
        if (crc32c(values) != parsed->checksums[i]) return "the checksum of " + tensor.name + " differs";
        tensor.bytes.assign(values.begin(), values.end());
        bytes = bytes.subspan(size);
    }
    if (!bytes.empty()) return "it is followed by " + std::to_string(bytes.size()) + " bytes that do not belong to it";
    checkpoint = std::move(parsed->checkpoint);
    return {};
}

}  // namespace

Result<Checkpoint> readCheckpoint(const std::filesystem::path& file) {
    const auto mapped = MappedFile::open(file);
    if (!mapped.ok()) return damaged(file, mapped.error().message.substr(0, mapped.error().message.size() - 1));
    return parseCheckpoint(mapped->bytes(), file);
}

Result<Checkpoint> parseCheckpoint(std::span<const std::byte> bytes, const std::filesystem::path& file) {
    Checkpoint checkpoint;
    const std::string reason = parse(bytes, checkpoint);
    if (!reason.empty()) return damaged(file, reason);
    return checkpoint;
}

Result<void> writeCheckpoint(const std::filesystem::path& file, const Checkpoint& checkpoint) {
    const Fd fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
    const auto failed = [&] {
        const char* code = errno == ENOSPC || errno == EDQUOT ? "F605" : "F604";
        return makeError(code, {{"file", file.string()}, {"reason", systemText(errno)}});
    };
    if (!fd.valid()) return failed();
    const std::string header = printHeader(checkpoint);
    Preamble preamble;
    preamble.headerBytes = header.size();
    preamble.headerChecksum = crc32c(asBytes(header));
    preamble.ownChecksum = checksumOf(preamble);
    LS_TRY(writeAll(fd.get(), std::as_bytes(std::span(&preamble, 1)), file));
    LS_TRY(writeAll(fd.get(), asBytes(header), file));
    for (const StateTensor& tensor : checkpoint.tensors) LS_TRY(writeAll(fd.get(), tensor.bytes, file));
    if (fsync(fd.get()) != 0) return failed();
    return {};
}

}  // namespace lockstep::train
