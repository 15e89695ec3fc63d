#include "cache_record.h"
#include "decoded_layout.h"
#include "file_lock.h"
#include "reading.h"

#include <base/checksum.h>
#include <base/ids.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <sstream>

namespace lockstep::data {
namespace {

namespace fs = std::filesystem;

constexpr Seconds kLockDeadline{600};

// One copy per data set, folder and way of reading it; what it was made from stands in its record.
struct Copy {
    fs::path folder;
    std::string name;     // of the copy
    std::string content;  // hash of all that decides it
    fs::path rows() const { return folder / (name + ".rows"); }
    fs::path record() const { return folder / (name + ".record"); }
};

Result<Copy> copyFor(const LoadOptions& options, const Source& source) {
    std::error_code status;
    const fs::path whole = fs::canonical(options.folder, status);
    if (status) return makeError("F602", {{"file", options.folder.string()}, {"reason", status.message()}});
    std::ostringstream text;
    text << "rows 1\n"
         << options.dataset << '\n'
         << whole.string() << '\n'
         << options.label << '\n'
         << static_cast<int>(options.target) << '\n';
    for (const std::int64_t size : options.shape) text << size << ' ';
    for (const std::string& name : options.features) text << '\n' << name.size() << ' ' << name;
    Copy copy{options.cacheFolder, toHex(sha256(asBytes(text.str()))).substr(0, 32), {}};
    for (const fs::path& file : source.files()) {
        const FileIdentity identity = identityOf(file);
        text << '\n'
             << file.string() << ' ' << identity.device << ' ' << identity.inode << ' ' << identity.bytes << ' ' << identity.modified << ' '
             << identity.changed;
    }
    copy.content = toHex(sha256(asBytes(text.str())));
    return copy;
}

std::optional<Dataset> open(const fs::path& path, std::uint64_t bytes) {
    auto file = MappedFile::open(path);
    if (!file.ok() || file->bytes().size() != bytes) return std::nullopt;
    auto kept = std::make_shared<const MappedFile>(std::move(file).value());
    return readDecoded(kept->bytes(), kept);
}

std::optional<Dataset> openTrusted(const Copy& copy) {
    const auto record = readRecord(copy.record());
    if (!record || record->content != copy.content || identityOf(copy.rows()) != record->copy) return std::nullopt;
    return open(copy.rows(), record->copyBytes);
}

// By its checksum; a copy that is right but was moved is trusted again.
std::optional<Dataset> openChecked(const Copy& copy) {
    auto record = readRecord(copy.record());
    if (!record || record->content != copy.content) return std::nullopt;
    const auto file = MappedFile::open(copy.rows());
    if (!file.ok() || file->bytes().size() != record->copyBytes || crc32c(file->bytes()) != record->checksum) return std::nullopt;
    record->copy = identityOf(copy.rows());
    if (!writeRecord(copy.record(), *record).ok()) return std::nullopt;
    return open(copy.rows(), record->copyBytes);
}

// A new file of a size, mapped for writing. Removed again unless it is kept.
class NewFile {
public:
    static Result<std::unique_ptr<NewFile>> create(fs::path path, std::uint64_t bytes) {
        std::unique_ptr<NewFile> file(new NewFile(std::move(path)));
        file->m_fd = Fd(::open(file->m_path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
        if (!file->m_fd.valid()) return file->error(errno);
        // All blocks now: a full disk is an error here, and would be a signal in the mapping.
        if (const int reason = posix_fallocate(file->m_fd.get(), 0, static_cast<off_t>(bytes)); reason != 0) return file->error(reason);
        void* const data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file->m_fd.get(), 0);
        if (data == MAP_FAILED) return file->error(errno);
        file->m_bytes = {static_cast<std::byte*>(data), bytes};
        return file;
    }
    ~NewFile() {
        if (!m_bytes.empty()) ::munmap(m_bytes.data(), m_bytes.size());
        if (!m_kept) ::unlink(m_path.c_str());
    }
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;

    std::span<std::byte> bytes() const { return m_bytes; }
    Result<void> keepAs(const fs::path& path) {
        if (fsync(m_fd.get()) != 0 || ::rename(m_path.c_str(), path.c_str()) != 0) return error(errno);
        m_kept = true;
        return {};
    }

private:
    explicit NewFile(fs::path path) : m_path(std::move(path)) {}
    Error error(int reason) const {
        if (reason == ENOSPC) return makeError("F605", {{"file", m_path.string()}});
        return makeError("F604", {{"file", m_path.string()}, {"reason", systemText(reason)}});
    }

    fs::path m_path;
    Fd m_fd;
    std::span<std::byte> m_bytes;
    bool m_kept = false;
};

Result<void> checkLabels(const SplitRoom& room, const DatasetFacts& facts, const char* part, const LoadOptions& options) {
    for (std::size_t row = 0; row < room.labels.size(); ++row)
        if (room.labels[row] < 0 || room.labels[row] >= facts.classes)
            return makeError("F613", {{"file", options.folder.string() + " (" + part + ")"},
                                      {"row", std::to_string(row)},
                                      {"offset", std::to_string(4 * row)},
                                      {"label", std::to_string(room.labels[row])},
                                      {"classes", std::to_string(facts.classes)}});
    return {};
}

Result<void> make(const LoadOptions& options, const Copy& copy, Source& source) {
    LS_TRY_ASSIGN(const SourceFacts found, source.facts());
    if (found.facts.rows == 0) return formatError(options.folder, 0, "at least one row", "0");
    LS_TRY_ASSIGN(const DecodedLayout layout, DecodedLayout::of(found, options.folder));
    removeLeftovers(copy.folder, copy.name);
    LS_TRY_ASSIGN(const auto file, NewFile::create(copy.folder / (copy.name + ".tmp-" + randomHex(4)), layout.bytes));
    const SplitRoom train = roomOf(file->bytes(), layout, 0), validation = roomOf(file->bytes(), layout, 1);
    LS_TRY(source.fill(train, validation));
    LS_TRY(checkLabels(train, found.facts, "training", options));
    LS_TRY(checkLabels(validation, found.facts, "validation", options));
    writeDecodedHeader(file->bytes(), layout, found.classNames);
    CacheRecord record;
    record.content = copy.content;
    record.copyBytes = layout.bytes;
    record.checksum = crc32c(file->bytes());
    LS_TRY(file->keepAs(copy.rows()));
    record.copy = identityOf(copy.rows());
    return writeRecord(copy.record(), record);
}

}  // namespace

Result<Dataset> loadDecoded(const LoadOptions& options, Source& source) {
    LS_TRY_ASSIGN(const Copy copy, copyFor(options, source));
    if (options.check == CacheCheck::Identity)
        if (auto dataset = openTrusted(copy)) return std::move(*dataset);
    LS_TRY(makeFolders(copy.folder, 0700));
    LS_TRY_ASSIGN(const FileLock lock, FileLock::take(copy.folder / (copy.name + ".lock"), Deadline::in(kLockDeadline)));
    if (auto dataset = openChecked(copy)) return std::move(*dataset);
    LS_TRY(make(options, copy, source));
    if (auto dataset = openTrusted(copy)) return std::move(*dataset);
    return changedWhileRead(copy.rows());
}

std::optional<DatasetFacts> readDecodedFacts(const LoadOptions& options, const Source& source) {
    if (options.cacheFolder.empty()) return std::nullopt;
    const auto copy = copyFor(options, source);
    const auto dataset = copy.ok() ? openTrusted(*copy) : std::nullopt;
    if (!dataset) return std::nullopt;
    const Split& train = dataset->train;
    return DatasetFacts{train.featureShape, train.rows, dataset->validation.rows, dataset->classes, train.element, train.targetWidth};
}

}  // namespace lockstep::data
