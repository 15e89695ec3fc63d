// Tables of a run.db (resources/docs/formats/run-db.md), and what makes a file one.
#pragma once

#include "database.h"

#include <base/result.h>

#include <filesystem>
#include <string>

namespace lockstep::store {

inline constexpr int kSchemaVersion = 1;
inline constexpr int kApplicationId = 0x4C535244;  // "LSRD"
inline constexpr std::uint64_t kChunkPoints = 4096;
inline constexpr int kLevelBits = 4;  // a bucket of level n covers 16^n points
inline constexpr int kMostLevel = 7;
inline constexpr int kChunkLevel = 3;  // a bucket of this level is one chunk

inline constexpr std::uint64_t pointsOfLevel(int level) { return std::uint64_t{1} << (kLevelBits * level); }
static_assert(pointsOfLevel(kChunkLevel) == kChunkPoints);

// F609 in its three kinds.
Error foreignStore(const std::filesystem::path& file, std::string what);
Error damagedStore(const std::filesystem::path& file, std::string what);
Error newerStore(const std::filesystem::path& file, std::int64_t version);

// A whole empty store appears under `file` at once; nothing when it fails. Errors: F602, F604, F605.
Result<void> createStore(const std::filesystem::path& file);

// Whether the connection is to a run.db of a version this program knows. Errors: F602, F603, F609.
Result<void> checkStore(const Database& database);

}  // namespace lockstep::store
