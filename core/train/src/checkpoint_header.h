// The JSON header of a checkpoint file and the manifest of a folder. Both parsers take hostile text: bounded, every type checked.
#pragma once

#include <train/checkpoint.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::train {

inline constexpr std::size_t kMostHeaderBytes = 4u << 20;

std::string printHeader(const Checkpoint& checkpoint);

// A checkpoint whose tensors have no bytes yet, and the checksum of each. The error is one clause.
struct ParsedHeader {
    Checkpoint checkpoint;
    std::vector<std::uint32_t> checksums;
};
std::optional<ParsedHeader> parseHeader(std::string_view text, std::string& reason);

std::string printManifest(const std::vector<CheckpointInfo>& checkpoints);
std::optional<std::vector<CheckpointInfo>> parseManifest(std::string_view text);

}  // namespace lockstep::train
