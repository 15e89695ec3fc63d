// Inflated copies of compressed files, one per content and host: <sha-256 of the compressed file>.idx, mapped by all ranks. Beside it
// a record per source file, <hash of its path>.source, says which content it had when last looked at. Both are replaced atomically;
// ranks that start together wait for the one that inflates.
//
// Trust: while the identities (device, inode, size, modification and change time) of source and copy are those of the record, the copy
// is used as it is, which costs microseconds. When one differs, the source's hash and the copy's CRC-32C are checked in full, and a
// damaged copy is made anew. Any thread, any process.
#pragma once

#include <base/clock.h>
#include <base/file.h>
#include <base/result.h>

#include <filesystem>

namespace lockstep::data {

enum class CacheCheck { Identity, Full };  // Full: compute the checksum in any case

// The copy of `source` (an IDX file in gzip), made when needed. Errors: F601 (source), F602–F605 (source or cache folder), F615 (another
// rank holds the lock past the deadline).
Result<MappedFile> openInflated(const std::filesystem::path& source, const std::filesystem::path& cacheFolder,
                                CacheCheck check = CacheCheck::Identity, Deadline deadline = Deadline::in(Seconds(120)));

}  // namespace lockstep::data
