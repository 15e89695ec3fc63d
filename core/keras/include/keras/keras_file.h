// Keras 3's model files (.keras): a ZIP archive with metadata.json, config.json (the layers) and model.weights.h5 (their variables).
//
// The bytes of a stranger's file are never trusted: sizes, counts and depths are bounded, links and external data of HDF5 are not
// followed, nothing in it can run. Even so HDF5 itself is parsed by a library with a history of faults; programs therefore call
// readKerasIsolated() (isolated.h), and readKeras() is for the process that one starts and for tests.
//
// The HDF5 library is one per process and not thread safe; calls take turns.
#pragma once

#include <base/result.h>
#include <keras/tensor.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::keras {

struct Metadata {
    std::string kerasVersion;  // "3.15.1"
    std::string dateSaved;     // "2026-05-13@21:23:40", local time
    bool operator==(const Metadata&) const = default;
};

// The variables of one layer (or of a layer inside one, or of an optimizer).
struct WeightGroup {
    std::string path;             // below /layers: "conv2d_1", "multi_head_attention/query_dense"; see weightGroups() in architecture.h
    std::string layerName;        // "conv1"; empty in files of Keras before 3.4
    std::vector<Tensor> tensors;  // by Keras' index: trainable ones first (kernel, bias; gamma, beta, moving mean, moving variance)
    bool operator==(const WeightGroup&) const = default;
};

struct KerasFile {
    Metadata metadata;
    std::string config;  // the text of config.json, checked to be one JSON object; parseArchitecture() reads it
    std::vector<WeightGroup> groups;
    // Empty when the model was not compiled. Path "" is the optimizer itself: 0 iteration (int64 or int32), 1 learning rate (absent
    // with a schedule), then its slots; "inner_optimizer" is there below a LossScaleOptimizer.
    std::vector<WeightGroup> optimizer;
    bool operator==(const KerasFile&) const = default;
};

// The group of that path, or nullptr.
const WeightGroup* findGroup(const std::vector<WeightGroup>& groups, std::string_view path);

// What a file may hold at most; more is refused before memory is taken for it.
inline constexpr std::uint64_t kMostArchiveBytes = std::uint64_t{16} << 30;
inline constexpr std::uint64_t kMostConfigBytes = 8u << 20;
inline constexpr std::size_t kMostMembers = 4096;      // of the archive
inline constexpr std::size_t kMostObjects = 1u << 17;  // groups and datasets
inline constexpr std::size_t kMostGroupDepth = 16;

// Errors: F602 (open), F650 (the archive), F651 (the weights), F652 (the texts).
Result<KerasFile> readKeras(const std::filesystem::path& path);

// Writes a file that Keras loads (see printArchitecture() for which), in place of what was there, atomically. An empty kerasVersion becomes
// "3.4.0", an empty dateSaved the present. Equal values give equal bytes. Errors: F604, F605, F659 (what is wrong with the values).
Result<void> writeKeras(const std::filesystem::path& path, const KerasFile& file);

}  // namespace lockstep::keras
