#include <comm/key.h>

#include <base/file.h>
#include <base/ids.h>
#include <base/paths.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>

namespace lockstep::comm {
namespace {

constexpr std::size_t kKeyBytes = 32;

Error refuse(const std::filesystem::path& file, const std::string& reason,
             const std::string& next = "Move it away; a new one is made at the next start.") {
    return makeError("N405", {{"file", file.string()}, {"reason", reason}, {"next", next}});
}

int digitOf(char digit) {
    if (digit >= '0' && digit <= '9') return digit - '0';
    if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
    return -1;
}

// A whole key appears under its name at once, and only if none is there: link(2) does both.
Result<void> makeKey(const std::filesystem::path& file) {
    LS_TRY(makeFolders(file.parent_path(), 0700));
    const auto temporary = file.string() + ".tmp-" + randomHex(4);
    LS_TRY(replaceFile(temporary, randomHex(kKeyBytes) + "\n", 0600));
    const int status = ::link(temporary.c_str(), file.c_str());
    const int reason = errno;
    ::unlink(temporary.c_str());
    if (status != 0 && reason != EEXIST) return makeError("F604", {{"file", file.string()}, {"reason", systemText(reason)}});
    return syncFolder(file.parent_path());
}

}  // namespace

std::filesystem::path keyFile() { return configFolder() / "key"; }

Result<std::string> loadOrMakeKey(const std::filesystem::path& file) {
    struct stat facts {};
    if (::lstat(file.c_str(), &facts) != 0 && errno == ENOENT) LS_TRY(makeKey(file));
    const Fd opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (!opened.valid() && errno == ELOOP) return refuse(file, "it is a symbolic link");
    if (!opened.valid()) return makeError("F602", {{"file", file.string()}, {"reason", systemText(errno)}});
    if (::fstat(opened.get(), &facts) != 0 || !S_ISREG(facts.st_mode)) return refuse(file, "it is not a file");
    if (facts.st_uid != geteuid()) return refuse(file, "it belongs to user " + std::to_string(facts.st_uid));
    if ((facts.st_mode & 077) != 0) {
        return refuse(file, "others may read it",
                      "If nobody has read it, correct it with: chmod 600 " + file.string() + "; else remove it, a new one is made.");
    }
    std::string text(2 * kKeyBytes + 2, '\0');
    const auto got = ::read(opened.get(), text.data(), text.size());
    text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
    if (!text.empty() && text.back() == '\n') text.pop_back();
    if (text.size() != 2 * kKeyBytes) return refuse(file, "it doesn't hold 64 hex digits");
    std::string key;
    for (std::size_t i = 0; i < text.size(); i += 2) {
        const int high = digitOf(text[i]);
        const int low = digitOf(text[i + 1]);
        if (high < 0 || low < 0) return refuse(file, "it doesn't hold 64 hex digits");
        key += static_cast<char>(high * 16 + low);
    }
    return key;
}

}  // namespace lockstep::comm
