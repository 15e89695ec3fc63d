// The secret that ranks prove to each other: 32 random bytes, kept as 64 hex digits in a file only its owner may read.
#pragma once

#include <base/result.h>

#include <filesystem>
#include <string>

namespace lockstep::comm {

// configFolder() / "key"
std::filesystem::path keyFile();

// The 32 bytes of the file; made at first use (also when several processes do so at once: all get the same key). Error N405 when it
// belongs to somebody else, may be read by others, is a link, or is not a key; F6xx when it can't be read or written. Never logged.
Result<std::string> loadOrMakeKey(const std::filesystem::path& file = keyFile());

}  // namespace lockstep::comm
