#include <data/cache.h>

#include "cache_record.h"
#include "file_lock.h"

#include <base/checksum.h>
#include <base/ids.h>
#include <data/idx.h>

#include <fcntl.h>
#include <unistd.h>
#include <cerrno>

namespace lockstep::data {
namespace {

namespace fs = std::filesystem;

struct Places {
    fs::path folder, record;
    fs::path copy(const std::string& content) const { return folder / (content + ".idx"); }
};

Result<Places> placesFor(const fs::path& source, const fs::path& folder) {
    std::error_code status;
    const fs::path whole = fs::canonical(source, status);
    if (status) return makeError("F602", {{"file", source.string()}, {"reason", status.message()}});
    const Digest key = sha256(asBytes(whole.native()));
    return Places{folder, folder / (toHex(std::span(key).first(8)) + ".source")};
}

// The copy as the record describes it, untouched since.
std::optional<MappedFile> openTrusted(const fs::path& source, const Places& places) {
    const auto record = readRecord(places.record);
    if (!record || identityOf(source) != record->source) return std::nullopt;
    const fs::path copy = places.copy(record->content);
    if (identityOf(copy) != record->copy) return std::nullopt;
    auto file = MappedFile::open(copy);
    if (!file.ok() || file->bytes().size() != record->copyBytes) return std::nullopt;
    return std::move(file).value();
}

Result<std::string> contentOf(const fs::path& source) {
    LS_TRY_ASSIGN(const MappedFile file, MappedFile::open(source));
    return toHex(sha256(file.bytes()));
}

// The copy when its checksum is right.
std::optional<MappedFile> openChecked(const fs::path& copy, const std::optional<CacheRecord>& record) {
    auto file = MappedFile::open(copy);
    if (!file.ok() || !record || file->bytes().size() != record->copyBytes || crc32c(file->bytes()) != record->checksum)
        return std::nullopt;
    return std::move(file).value();
}

// Inflates into a temporary file and renames it. Gives the checksum.
Result<CacheRecord> inflate(const fs::path& source, const Places& places, const std::string& content) {
    const fs::path temporary = places.folder / (content + ".tmp-" + randomHex(4));
    CacheRecord record;
    record.content = content;
    const Fd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
    if (!fd.valid()) return makeError("F604", {{"file", temporary.string()}, {"reason", systemText(errno)}});
    auto written = [&]() -> Result<void> {
        LS_TRY(streamIdx(source, [&](std::span<const std::byte> bytes) -> Result<void> {
            record.checksum = crc32c(bytes, record.checksum);
            record.copyBytes += bytes.size();
            return writeAll(fd.get(), bytes, temporary);
        }));
        if (fsync(fd.get()) != 0 || ::rename(temporary.c_str(), places.copy(content).c_str()) != 0)
            return makeError("F604", {{"file", temporary.string()}, {"reason", systemText(errno)}});
        return {};
    }();
    if (!written.ok()) {
        ::unlink(temporary.c_str());
        return written.error();
    }
    return record;
}

// With the lock held: whatever is needed to have a right copy and a record of it.
Result<MappedFile> makeRight(const fs::path& source, const Places& places, CacheCheck check) {
    // Somebody else may have made it while we waited.
    if (check == CacheCheck::Identity)
        if (auto file = openTrusted(source, places)) return std::move(*file);
    const auto sourceBefore = identityOf(source);
    LS_TRY_ASSIGN(const std::string content, contentOf(source));
    const fs::path copy = places.copy(content), facts = places.folder / (content + ".facts");
    auto record = readRecord(facts);
    auto file = openChecked(copy, record);
    if (!file) {
        removeLeftovers(places.folder, content);
        LS_TRY_ASSIGN(record, inflate(source, places, content));
        LS_TRY_ASSIGN(file, MappedFile::open(copy));
    }
    record->source = sourceBefore;
    record->copy = identityOf(copy);
    LS_TRY(writeRecord(facts, *record));
    LS_TRY(writeRecord(places.record, *record));
    return std::move(*file);
}

}  // namespace

Result<MappedFile> openInflated(const fs::path& source, const fs::path& cacheFolder, CacheCheck check, Deadline deadline) {
    LS_TRY_ASSIGN(const Places places, placesFor(source, cacheFolder));
    if (check == CacheCheck::Identity)
        if (auto file = openTrusted(source, places)) return std::move(*file);
    LS_TRY(makeFolders(cacheFolder, 0700));
    LS_TRY_ASSIGN(const FileLock lock, FileLock::take(places.folder / "lock", deadline));
    return makeRight(source, places, check);
}

}  // namespace lockstep::data
