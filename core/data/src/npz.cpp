#include <data/npy.h>

#include "reading.h"

#include <zlib.h>
#include <algorithm>

namespace lockstep::data {
namespace {

constexpr std::uint64_t kMostRatio = 1032;  // of deflate
constexpr std::size_t kEndBytes = 22, kEnd64Bytes = 56, kLocatorBytes = 20, kEntryBytes = 46, kLocalBytes = 30;
constexpr std::uint32_t kEndSign = 0x06054b50, kEnd64Sign = 0x06064b50, kLocatorSign = 0x07064b50, kEntrySign = 0x02014b50,
                        kLocalSign = 0x04034b50;
constexpr std::size_t kMostMembers = 4096;

using Bytes = std::span<const std::byte>;

struct Directory {
    std::uint64_t at = 0, bytes = 0, count = 0;
};

Error cut(const std::filesystem::path& file, std::uint64_t at, std::string expected) {
    return formatError(file, at, std::move(expected), "something else", "The file was cut off or damaged.");
}

// The record at the end; a comment of up to 64 KiB may follow it.
Result<std::size_t> findEnd(Bytes file, const std::filesystem::path& path) {
    if (file.empty()) return formatError(path, 0, "a zip archive (.npz)", "an empty file");
    if (file.size() >= kEndBytes) {
        const std::size_t least = file.size() - std::min<std::size_t>(file.size(), kEndBytes + 0xffff);
        for (std::size_t at = file.size() - kEndBytes + 1; at-- > least;)
            if (loadLittle(file.subspan(at), 4) == kEndSign) return at;
    }
    return formatError(path, file.size(), "the directory of a zip archive (.npz)", "the end of the file",
                       "The file was cut off, or it is no .npz file.");
}

Result<Directory> findDirectory(Bytes file, const std::filesystem::path& path) {
    LS_TRY_ASSIGN(const std::size_t end, findEnd(file, path));
    Directory directory{loadLittle(file.subspan(end + 16), 4), loadLittle(file.subspan(end + 12), 4),
                        loadLittle(file.subspan(end + 10), 2)};
    const bool wide = directory.at == 0xffffffff || directory.bytes == 0xffffffff || directory.count == 0xffff;
    if (wide && end >= kLocatorBytes && loadLittle(file.subspan(end - kLocatorBytes), 4) == kLocatorSign) {
        const std::uint64_t at = loadLittle(file.subspan(end - kLocatorBytes + 8), 8);
        if (at > file.size() || file.size() - at < kEnd64Bytes || loadLittle(file.subspan(at), 4) != kEnd64Sign)
            return cut(path, end - kLocatorBytes + 8, "the place of the zip64 record");
        directory = {loadLittle(file.subspan(at + 48), 8), loadLittle(file.subspan(at + 40), 8), loadLittle(file.subspan(at + 32), 8)};
    }
    if (directory.at > end || directory.bytes > end - directory.at) return cut(path, end + 12, "a directory inside of the file");
    if (directory.count > kMostMembers)
        return tooLargeError(path, end + 10, std::to_string(directory.count) + " members", std::to_string(kMostMembers));
    return directory;
}

// Sizes and place beyond 32 bits stand in an extra field.
Result<void> readWide(Bytes extra, NpzFile::Member& member, const std::filesystem::path& path, std::uint64_t at) {
    while (extra.size() >= 4) {
        const std::uint64_t id = loadLittle(extra, 2), bytes = loadLittle(extra.subspan(2), 2);
        if (bytes > extra.size() - 4) break;
        Bytes field = extra.subspan(4, bytes);
        extra = extra.subspan(4 + bytes);
        if (id != 1) continue;
        for (std::uint64_t* value : {&member.bytes, &member.packedBytes, &member.headerAt}) {
            if (*value != 0xffffffff) continue;
            if (field.size() < 8) return cut(path, at, "sizes of 64 bits");
            *value = loadLittle(field, 8);
            field = field.subspan(8);
        }
        return {};
    }
    return {};
}

Result<NpzFile::Member> readEntry(Bytes& rest, std::uint64_t& at, const std::filesystem::path& path) {
    if (rest.size() < kEntryBytes || loadLittle(rest, 4) != kEntrySign) return cut(path, at, "an entry of the directory");
    NpzFile::Member member;
    const std::uint64_t flags = loadLittle(rest.subspan(8), 2), method = loadLittle(rest.subspan(10), 2);
    member.crc = static_cast<std::uint32_t>(loadLittle(rest.subspan(16), 4));
    member.packedBytes = loadLittle(rest.subspan(20), 4);
    member.bytes = loadLittle(rest.subspan(24), 4);
    member.headerAt = loadLittle(rest.subspan(42), 4);
    const std::size_t name = loadLittle(rest.subspan(28), 2), extra = loadLittle(rest.subspan(30), 2),
                      comment = loadLittle(rest.subspan(32), 2);
    const std::size_t whole = kEntryBytes + name + extra + comment;
    if (rest.size() < whole) return cut(path, at, "an entry of " + bytesText(whole));
    const auto text = rest.subspan(kEntryBytes, name);
    member.name.assign(reinterpret_cast<const char*>(text.data()), text.size());
    if (member.name.ends_with(".npy")) member.name.resize(member.name.size() - 4);
    LS_TRY(readWide(rest.subspan(kEntryBytes + name, extra), member, path, at));
    if ((flags & 1) != 0) return unsupportedError(path, at + 8, "an encrypted member", "Save it with numpy.savez.");
    if (method != 0 && method != 8)
        return unsupportedError(path, at + 10, "compression method " + std::to_string(method), "Save it with numpy.savez_compressed.");
    member.deflated = method == 8;
    rest = rest.subspan(whole);
    at += whole;
    return member;
}

Result<void> checkSizes(const NpzFile::Member& member, std::uint64_t fileBytes, const std::filesystem::path& path) {
    if (member.headerAt > fileBytes || fileBytes - member.headerAt < kLocalBytes ||
        member.packedBytes > fileBytes - member.headerAt - kLocalBytes)
        return formatError(path, fileBytes, "all of the member " + member.name, "the end of the file", "The file was cut off or damaged.");
    if (member.bytes > kMostValueBytes)
        return tooLargeError(path, member.headerAt, member.name + " of " + bytesText(member.bytes), bytesText(kMostValueBytes));
    const std::uint64_t most = member.deflated ? member.packedBytes * kMostRatio : member.packedBytes;
    if (member.bytes > most || (!member.deflated && member.bytes != member.packedBytes))
        return formatError(path, member.headerAt, "at most " + bytesText(most) + " in the member " + member.name, bytesText(member.bytes),
                           "The archive's directory promises more than it holds.");
    return {};
}

// The packed bytes and where they begin.
Result<std::pair<Bytes, std::uint64_t>> packedOf(const NpzFile::Member& member, Bytes file, const std::filesystem::path& path) {
    const Bytes local = file.subspan(member.headerAt);
    if (loadLittle(local, 4) != kLocalSign) return cut(path, member.headerAt, "the header of the member " + member.name);
    const std::uint64_t skip = kLocalBytes + loadLittle(local.subspan(26), 2) + loadLittle(local.subspan(28), 2);
    if (skip > local.size() || member.packedBytes > local.size() - skip)
        return formatError(path, file.size(), "all of the member " + member.name, "the end of the file",
                           "The file was cut off or damaged.");
    return std::pair(local.subspan(skip, member.packedBytes), member.headerAt + skip);
}

// Inflates at most `most` bytes; memory grows with what really comes.
class Inflation {
public:
    Inflation() = default;
    ~Inflation() { inflateEnd(&m_zlib); }
    Inflation(const Inflation&) = delete;
    Inflation& operator=(const Inflation&) = delete;

    Result<std::vector<std::byte>> run(Bytes packed, std::uint64_t at, std::uint64_t most, const std::filesystem::path& path) {
        if (inflateInit2(&m_zlib, -MAX_WBITS) != Z_OK) return makeError("X001", {{"what", "zlib can't start"}});
        std::vector<std::byte> bytes;
        std::size_t done = 0, taken = 0;
        for (int status = Z_OK; status != Z_STREAM_END && done < most;) {
            if (done == bytes.size()) bytes.resize(std::min<std::uint64_t>(most, std::max<std::size_t>(64u << 10, 2 * done)));
            const auto give = static_cast<uInt>(std::min<std::size_t>(packed.size() - taken, 1u << 30));
            const auto room = static_cast<uInt>(std::min<std::size_t>(bytes.size() - done, 1u << 30));
            m_zlib.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data() + taken));
            m_zlib.avail_in = give;
            m_zlib.next_out = reinterpret_cast<Bytef*>(bytes.data() + done);
            m_zlib.avail_out = room;
            status = inflate(&m_zlib, Z_NO_FLUSH);
            taken += give - m_zlib.avail_in;
            done += room - m_zlib.avail_out;
            if (status == Z_STREAM_END) break;
            if (status != Z_OK || (m_zlib.avail_in == give && m_zlib.avail_out == room))
                return formatError(path, at + taken, "whole compressed data", m_zlib.msg != nullptr ? m_zlib.msg : "its end",
                                   "The compressed data is damaged.");
        }
        bytes.resize(done);
        return bytes;
    }

private:
    z_stream m_zlib{};
};

}  // namespace

Result<NpzFile> NpzFile::open(const std::filesystem::path& path) {
    LS_TRY_ASSIGN(MappedFile mapped, MappedFile::open(path));
    NpzFile file;
    file.m_path = path;
    file.m_file = std::make_shared<const MappedFile>(std::move(mapped));
    const Bytes bytes = file.m_file->bytes();
    LS_TRY_ASSIGN(const Directory directory, findDirectory(bytes, path));
    Bytes rest = bytes.subspan(directory.at, directory.bytes);
    std::uint64_t at = directory.at;
    for (std::uint64_t i = 0; i < directory.count; ++i) {
        LS_TRY_ASSIGN(Member member, readEntry(rest, at, path));
        LS_TRY(checkSizes(member, bytes.size(), path));
        file.m_members.push_back(std::move(member));
    }
    return file;
}

Result<NpyHeader> NpzFile::header(const Member& member) const {
    constexpr std::uint64_t kStart = 66u << 10;  // more than any header of .npy
    LS_TRY_ASSIGN(const auto packed, packedOf(member, m_file->bytes(), m_path));
    const std::filesystem::path name = m_path / (member.name + ".npy");
    if (!member.deflated) return parseNpyHeader(packed.first.first(std::min<std::size_t>(packed.first.size(), kStart)), name);
    LS_TRY_ASSIGN(const auto start, Inflation().run(packed.first, packed.second, std::min(kStart, member.bytes), m_path));
    return parseNpyHeader(start, name);
}

Result<NpyArray> NpzFile::read(const Member& member) const {
    LS_TRY_ASSIGN(const auto packed, packedOf(member, m_file->bytes(), m_path));
    const std::filesystem::path name = m_path / (member.name + ".npy");
    Bytes bytes = packed.first;
    std::shared_ptr<const void> keepAlive = m_file;
    if (member.deflated) {
        LS_TRY_ASSIGN(auto inflated, Inflation().run(packed.first, packed.second, member.bytes, m_path));
        auto own = std::make_shared<const std::vector<std::byte>>(std::move(inflated));
        bytes = *own;
        keepAlive = std::move(own);
    }
    if (bytes.size() != member.bytes)
        return formatError(m_path, packed.second, bytesText(member.bytes) + " in the member " + member.name, bytesText(bytes.size()),
                           "The archive is damaged.");
    const auto computed = static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
    if (computed != member.crc)
        return withContext(checksumError(m_path, packed.second, member.packedBytes, member.crc, computed),
                           "reading the member " + member.name);
    return readNpy(bytes, std::move(keepAlive), name);
}

Result<NpyArray> NpzFile::read(const std::string& name) const {
    std::string names;
    for (const Member& member : m_members) {
        if (member.name == name) return read(member);
        names += (names.empty() ? "" : ", ") + member.name;
    }
    return makeError("F624", {{"file", m_path.string()}, {"kind", "array"}, {"name", name}, {"names", names}});
}

}  // namespace lockstep::data
