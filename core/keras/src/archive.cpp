#include "archive.h"

#include "json.h"

#include <base/units.h>
#include <keras/keras_file.h>

#include <sys/stat.h>
#include <zip.h>
#include <algorithm>
#include <cerrno>

namespace lockstep::keras {
namespace {

struct CloseMember {
    void operator()(zip_file_t* member) const { zip_fclose(member); }
};
using MemberHandle = std::unique_ptr<zip_file_t, CloseMember>;

Error noModelFile(const std::string& file, const std::string& what) { return makeError("F650", {{"file", file}, {"what", what}}); }

// A name that would leave the folder it is unpacked into. We unpack nothing, but such an archive was made to do harm.
bool leaves(std::string_view name) {
    if (name.empty() || name.front() == '/' || name.find('\\') != name.npos || name.find(':') != name.npos) return true;
    for (std::size_t at = 0; at <= name.size();) {
        const std::size_t end = std::min(name.find('/', at), name.size());
        if (name.substr(at, end - at) == "..") return true;
        at = end + 1;
    }
    return false;
}

// The size of a file that may be opened.
Result<std::uint64_t> sizeOfFile(const std::filesystem::path& path) {
    struct stat facts {};
    const auto unopened = [&](int reason) { return makeError("F602", {{"file", path.string()}, {"reason", systemText(reason)}}); };
    if (::stat(path.c_str(), &facts) != 0) return unopened(errno);
    if (!S_ISREG(facts.st_mode)) return unopened(S_ISDIR(facts.st_mode) ? EISDIR : EINVAL);
    if (static_cast<std::uint64_t>(facts.st_size) > kMostArchiveBytes)
        return makeError("F606", {{"file", path.string()},
                                  {"size", formatBytes(static_cast<std::uint64_t>(facts.st_size))},
                                  {"limit", formatBytes(kMostArchiveBytes)}});
    return static_cast<std::uint64_t>(facts.st_size);
}

}  // namespace

struct Archive::Member {
    MemberHandle handle;
    std::uint64_t size = 0;
};

void Archive::Discard::operator()(zip* archive) const { zip_discard(archive); }

Error Archive::damaged(const std::string& what) const { return noModelFile(m_file, what); }

Result<Archive> Archive::open(const std::filesystem::path& path) {
    LS_TRY_ASSIGN(const std::uint64_t size, sizeOfFile(path));
    int code = 0;
    Handle handle(zip_open(path.c_str(), ZIP_RDONLY | ZIP_CHECKCONS, &code));
    if (handle == nullptr) {
        if (code == ZIP_ER_OPEN || code == ZIP_ER_READ) return makeError("F602", {{"file", path.string()}, {"reason", systemText(errno)}});
        // Of two members with one name readers differ in which they take.
        return noModelFile(path.string(), code == ZIP_ER_NOZIP    ? "it is no ZIP archive"
                                          : code == ZIP_ER_EXISTS ? "two of its members have the same name"
                                                                  : "its list of members is damaged");
    }
    Archive archive(std::move(handle), path.string(), size);
    LS_TRY(archive.checkNames());
    return archive;
}

Result<void> Archive::checkNames() const {
    const zip_int64_t count = zip_get_num_entries(m_handle.get(), 0);
    if (count > static_cast<zip_int64_t>(kMostMembers)) return damaged("it has " + std::to_string(count) + " members");
    for (zip_int64_t i = 0; i < count; ++i) {
        const char* name = zip_get_name(m_handle.get(), static_cast<zip_uint64_t>(i), ZIP_FL_ENC_RAW);
        if (name == nullptr) return damaged("member " + std::to_string(i) + " has no name");
        if (leaves(name)) return damaged("the name of member \"" + printable(name) + "\" leads out of the archive");
    }
    return {};
}

Result<Archive::Member> Archive::openMember(const std::string& name, std::uint64_t limit) const {
    const zip_int64_t index = zip_name_locate(m_handle.get(), name.c_str(), 0);
    if (index < 0) return damaged("it has no " + name);
    zip_stat_t facts;
    zip_stat_init(&facts);
    constexpr zip_uint64_t kNeeded = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
    if (zip_stat_index(m_handle.get(), static_cast<zip_uint64_t>(index), 0, &facts) != 0 || (facts.valid & kNeeded) != kNeeded)
        return damaged(name + " has no size");
    if (facts.encryption_method != ZIP_EM_NONE) return damaged(name + " is encrypted");
    if (facts.comp_method != ZIP_CM_STORE || facts.comp_size != facts.size) return damaged(name + " is compressed, which Keras never does");
    if (facts.size > m_size) return damaged(name + " claims more bytes than the archive has");
    if (facts.size > limit) return damaged(name + " has " + formatBytes(facts.size) + ", more than the " + formatBytes(limit) + " allowed");
    Member member{MemberHandle(zip_fopen_index(m_handle.get(), static_cast<zip_uint64_t>(index), 0)), facts.size};
    if (member.handle == nullptr) return damaged(name + " can't be read");
    return member;
}

Result<std::string> Archive::read(const std::string& member, std::uint64_t limit) const {
    LS_TRY_ASSIGN(const auto opened, openMember(member, limit));
    std::string all(opened.size, '\0');
    std::size_t filled = 0;
    while (filled < all.size()) {
        const zip_int64_t got = zip_fread(opened.handle.get(), all.data() + filled, all.size() - filled);
        if (got <= 0) return damaged(member + " is cut off or its checksum differs");
        filled += static_cast<std::size_t>(got);
    }
    // Only at the end of a member its checksum is compared.
    char more = 0;
    if (zip_fread(opened.handle.get(), &more, 1) != 0) return damaged("the checksum of " + member + " differs");
    return all;
}

}  // namespace lockstep::keras
