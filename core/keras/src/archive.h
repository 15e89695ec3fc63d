// The ZIP archive around a model: members stored as they are, sizes bounded, names that stay inside.
#pragma once

#include <base/result.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

struct zip;

namespace lockstep::keras {

class Archive {
public:
    // Errors: F602, F650.
    static Result<Archive> open(const std::filesystem::path& path);

    // A whole member. Error F650: there is none, it is compressed or encrypted, larger than `limit`, or its checksum differs.
    Result<std::string> read(const std::string& member, std::uint64_t limit) const;

private:
    struct Discard {
        void operator()(zip* archive) const;
    };
    using Handle = std::unique_ptr<zip, Discard>;
    struct Member;

    Archive(Handle handle, std::string file, std::uint64_t size) : m_handle(std::move(handle)), m_file(std::move(file)), m_size(size) {}
    Error damaged(const std::string& what) const;
    Result<void> checkNames() const;
    Result<Member> openMember(const std::string& name, std::uint64_t limit) const;

    Handle m_handle;
    std::string m_file;
    std::uint64_t m_size;
};

using ArchiveMember = std::pair<std::string, std::span<const std::byte>>;

// The bytes of an archive of these members, stored, dated 1980 as Keras does. Error F659.
Result<std::string> makeArchive(const std::vector<ArchiveMember>& members);

}  // namespace lockstep::keras
