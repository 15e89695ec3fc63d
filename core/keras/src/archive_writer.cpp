#include "archive.h"

#include <zip.h>
#include <cstring>

namespace lockstep::keras {
namespace {

constexpr zip_uint16_t kFirstDay = (0 << 9) | (1 << 5) | 1;  // 1980-01-01 in DOS' form

struct FreeSource {
    void operator()(zip_source_t* source) const { zip_source_free(source); }
};
struct Discard {
    void operator()(zip_t* archive) const { zip_discard(archive); }
};

Error refused(const char* what) { return makeError("F659", {{"what", std::string("the archive can't be made (") + what + ")"}}); }

Result<void> addMember(zip_t* archive, const ArchiveMember& member) {
    zip_source_t* source = zip_source_buffer(archive, member.second.data(), member.second.size(), 0);
    if (source == nullptr) return refused(zip_strerror(archive));
    const zip_int64_t index = zip_file_add(archive, member.first.c_str(), source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
        zip_source_free(source);
        return refused(zip_strerror(archive));
    }
    const auto place = static_cast<zip_uint64_t>(index);
    if (zip_set_file_compression(archive, place, ZIP_CM_STORE, 0) != 0 || zip_file_set_dostime(archive, place, 0, kFirstDay, 0) != 0)
        return refused(zip_strerror(archive));
    return {};
}

Result<std::string> contentOf(zip_source_t* source) {
    zip_stat_t facts;
    zip_stat_init(&facts);
    if (zip_source_stat(source, &facts) != 0 || (facts.valid & ZIP_STAT_SIZE) == 0 || zip_source_open(source) != 0)
        return refused(zip_error_strerror(zip_source_error(source)));
    std::string bytes(facts.size, '\0');
    const zip_int64_t got = zip_source_read(source, bytes.data(), bytes.size());
    zip_source_close(source);
    if (got < 0 || static_cast<std::size_t>(got) != bytes.size()) return refused(zip_error_strerror(zip_source_error(source)));
    return bytes;
}

}  // namespace

Result<std::string> makeArchive(const std::vector<ArchiveMember>& members) {
    zip_error_t error;
    zip_error_init(&error);
    std::unique_ptr<zip_source_t, FreeSource> source(zip_source_buffer_create(nullptr, 0, 0, &error));
    if (source == nullptr) return refused(zip_error_strerror(&error));
    std::unique_ptr<zip_t, Discard> archive(zip_open_from_source(source.get(), ZIP_TRUNCATE, &error));
    if (archive == nullptr) return refused(zip_error_strerror(&error));
    zip_source_keep(source.get());  // the archive frees its own reference
    for (const ArchiveMember& member : members) LS_TRY(addMember(archive.get(), member));
    if (zip_close(archive.get()) != 0) return refused(zip_strerror(archive.get()));
    (void)archive.release();
    return contentOf(source.get());
}

}  // namespace lockstep::keras
