#include "byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <array>
#include <cerrno>
#include <vector>

namespace lockstep::data {
namespace {

constexpr std::size_t kPiece = 256u << 10;
constexpr std::uint64_t kMostRatio = 1032;  // the most deflate can compress: 258 bytes in two bits

struct OpenFile {
    Fd fd;
    std::uint64_t bytes = 0;
    std::filesystem::path path;

    Result<std::size_t> read(std::span<std::byte> into) {
        std::size_t done = 0;
        while (done < into.size()) {
            const auto got = ::read(fd.get(), into.data() + done, into.size() - done);
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) return makeError("F603", {{"file", path.string()}, {"reason", systemText(errno)}});
            if (got == 0) break;
            done += static_cast<std::size_t>(got);
        }
        return done;
    }
};

Result<OpenFile> openFile(const std::filesystem::path& path) {
    OpenFile file{Fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC)), 0, path};
    struct stat facts {};
    int reason = 0;
    if (!file.fd.valid() || fstat(file.fd.get(), &facts) != 0)
        reason = errno;
    else if (S_ISDIR(facts.st_mode))
        reason = EISDIR;
    else if (!S_ISREG(facts.st_mode))
        reason = EINVAL;  // a pipe or device could block for ever
    if (reason != 0) return makeError("F602", {{"file", path.string()}, {"reason", systemText(reason)}});
    file.bytes = static_cast<std::uint64_t>(facts.st_size);
    return file;
}

class PlainSource final : public ByteSource {
public:
    explicit PlainSource(OpenFile file) : m_file(std::move(file)) {}
    Result<std::size_t> read(std::span<std::byte> into) override { return m_file.read(into); }
    std::uint64_t mostBytes() const override { return m_file.bytes; }
    std::filesystem::path name() const override { return m_file.path; }

private:
    OpenFile m_file;
};

class DeflateSource final : public ByteSource {
public:
    explicit DeflateSource(OpenFile file) : m_file(std::move(file)), m_input(kPiece) {}
    ~DeflateSource() override { inflateEnd(&m_zlib); }
    DeflateSource(const DeflateSource&) = delete;
    DeflateSource& operator=(const DeflateSource&) = delete;

    Result<void> begin(Compression compression) {
        m_zlibOnly = compression == Compression::Zlib;
        if (inflateInit2(&m_zlib, m_zlibOnly ? MAX_WBITS : 16 + MAX_WBITS) != Z_OK)
            return makeError("X001", {{"what", "zlib can't start"}});
        return {};
    }

    Result<std::size_t> read(std::span<std::byte> into) override {
        std::size_t done = 0;
        while (done < into.size() && !m_ended) {
            LS_TRY_ASSIGN(const bool more, refill());
            if (!more) {
                if (m_betweenMembers) {
                    m_ended = true;
                    break;
                }
                return formatError(m_file.path, m_consumed, "more compressed data", "the end of the file",
                                   "The file was cut off, for example by a broken download.");
            }
            m_betweenMembers = false;
            LS_TRY_ASSIGN(const std::size_t got, inflateSome(into.subspan(done)));
            done += got;
        }
        return done;
    }

    std::uint64_t mostBytes() const override { return m_file.bytes * kMostRatio; }
    std::filesystem::path name() const override { return m_file.path.string() + " (inflated)"; }

private:
    // False at the end of the file.
    Result<bool> refill() {
        if (m_zlib.avail_in > 0) return true;
        LS_TRY_ASSIGN(const std::size_t got, m_file.read(m_input));
        m_zlib.next_in = reinterpret_cast<Bytef*>(m_input.data());
        m_zlib.avail_in = static_cast<uInt>(got);
        return got > 0;
    }

    Result<std::size_t> inflateSome(std::span<std::byte> into) {
        const std::size_t room = std::min<std::size_t>(into.size(), 1u << 30);
        const uInt before = m_zlib.avail_in;
        m_zlib.next_out = reinterpret_cast<Bytef*>(into.data());
        m_zlib.avail_out = static_cast<uInt>(room);
        const int status = inflate(&m_zlib, Z_NO_FLUSH);
        m_consumed += before - m_zlib.avail_in;
        if (status == Z_STREAM_END) {
            m_betweenMembers = true;
            inflateReset(&m_zlib);
        } else if (status != Z_OK && status != Z_BUF_ERROR) {
            const std::string found = m_zlib.msg != nullptr ? m_zlib.msg : "damaged data";
            return formatError(m_file.path, m_consumed, m_zlibOnly ? "whole zlib data" : "whole gzip data", found,
                               "The compressed data is damaged.");
        }
        return room - m_zlib.avail_out;
    }

    OpenFile m_file;
    std::vector<std::byte> m_input;
    z_stream m_zlib{};
    std::uint64_t m_consumed = 0;
    bool m_betweenMembers = false;
    bool m_ended = false;
    bool m_zlibOnly = false;
};

}  // namespace

Error formatError(const std::filesystem::path& file, std::uint64_t offset, std::string expected, std::string found, std::string cause) {
    return makeError("F601", {{"file", file.string()},
                              {"offset", std::to_string(offset)},
                              {"expected", std::move(expected)},
                              {"found", std::move(found)},
                              {"cause", std::move(cause)}});
}

Result<std::unique_ptr<ByteSource>> ByteSource::open(const std::filesystem::path& path, Compression compression) {
    LS_TRY_ASSIGN(OpenFile file, openFile(path));
    std::array<std::byte, 2> start{};
    LS_TRY_ASSIGN(const std::size_t got, file.read(start));
    if (::lseek(file.fd.get(), 0, SEEK_SET) != 0) return makeError("F603", {{"file", path.string()}, {"reason", systemText(errno)}});
    if (compression == Compression::Look && (got < 2 || start[0] != std::byte{0x1f} || start[1] != std::byte{0x8b}))
        return std::unique_ptr<ByteSource>(std::make_unique<PlainSource>(std::move(file)));
    auto source = std::make_unique<DeflateSource>(std::move(file));
    LS_TRY(source->begin(compression));
    return std::unique_ptr<ByteSource>(std::move(source));
}

}  // namespace lockstep::data
