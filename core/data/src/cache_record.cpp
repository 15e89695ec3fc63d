#include "cache_record.h"

#include <base/checksum.h>
#include <base/file.h>

#include <sys/stat.h>
#include <sstream>

namespace lockstep::data {
namespace {

constexpr std::uint64_t kMostBytes = 4096;
constexpr std::string_view kFirstLine = "lockstep-cache 1\n";

void print(std::ostream& out, const char* name, const FileIdentity& identity) {
    out << name << ' ' << identity.device << ' ' << identity.inode << ' ' << identity.bytes << ' ' << identity.modified << ' '
        << identity.changed << '\n';
}

std::istream& parse(std::istream& in, const std::string& name, FileIdentity& identity) {
    std::string word;
    in >> word >> identity.device >> identity.inode >> identity.bytes >> identity.modified >> identity.changed;
    if (word != name) in.setstate(std::ios::failbit);
    return in;
}

bool isContentName(const std::string& text) { return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos; }

}  // namespace

FileIdentity identityOf(const std::filesystem::path& file) {
    struct stat facts {};
    if (stat(file.c_str(), &facts) != 0) return {};
    const auto nanoseconds = [](const timespec& time) { return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec; };
    return {facts.st_dev, facts.st_ino, static_cast<std::uint64_t>(facts.st_size), nanoseconds(facts.st_mtim), nanoseconds(facts.st_ctim)};
}

std::optional<CacheRecord> readRecord(const std::filesystem::path& file) {
    const auto text = readFile(file, kMostBytes);
    if (!text.ok() || !text->starts_with(kFirstLine)) return std::nullopt;
    const auto last = text->rfind("check ");
    if (last == std::string::npos) return std::nullopt;
    std::istringstream in(text->substr(kFirstLine.size()));
    CacheRecord record;
    std::string word, check;
    std::uint32_t sum = 0;
    in >> word >> record.content >> word >> record.copyBytes >> record.checksum;
    parse(parse(in, "source", record.source), "copy", record.copy) >> check >> sum;
    if (!in || check != "check" || sum != crc32c(asBytes(std::string_view(*text).substr(0, last)))) return std::nullopt;
    if (!isContentName(record.content)) return std::nullopt;
    return record;
}

Result<void> writeRecord(const std::filesystem::path& file, const CacheRecord& record) {
    std::ostringstream out;
    out << kFirstLine << "content " << record.content << "\nsum " << record.copyBytes << ' ' << record.checksum << '\n';
    print(out, "source", record.source);
    print(out, "copy", record.copy);
    const std::string text = out.str();
    return replaceFile(file, text + "check " + std::to_string(crc32c(asBytes(text))) + "\n");
}

}  // namespace lockstep::data
