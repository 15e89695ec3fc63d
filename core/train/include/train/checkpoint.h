// Checkpoints: everything a run needs to go on as if it had never stopped. One file per checkpoint and a manifest that names the
// committed ones; format: resources/docs/formats/checkpoint.md. A checkpoint is committed once the manifest that lists it is in place:
// a process or machine that dies at any instant leaves the earlier ones whole.
//
// One process writes a folder at a time; reading is free at any time. A CheckpointStore is used by one thread at a time.
#pragma once

#include <base/result.h>
#include <graph/types.h>
#include <train/epoch_rules.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lockstep::train {

struct StateTensor {
    std::string name;  // of the State: "dense/kernel", "dense/kernel/m"
    std::string role;  // "weight" | "slot"
    graph::TensorType type;
    std::vector<std::byte> bytes;  // dense, C order, little endian; type.bytes() of them
    bool operator==(const StateTensor&) const = default;
};

// Sums of the epoch in progress, over all ranks.
struct EpochSums {
    double loss = 0;     // Σ rows · mean loss of the batch
    double correct = 0;  // Σ rows · first metric of the batch; or the first of its counts
    std::int64_t rows = 0;
    std::vector<double> metrics = {};  // of each further metric, as `correct`; all numbers of a metric of counts (nn/metric.h)
    bool operator==(const EpochSums&) const = default;
};

// Means of the last finished epoch.
struct EpochResult {
    double loss = 0;
    double accuracy = 0;
    std::optional<double> valLoss;
    std::optional<double> valAccuracy;
    std::vector<double> metrics = {}, valMetrics = {};  // the further ones; the second is empty without an evaluation
    bool operator==(const EpochResult&) const = default;
};

// The random numbers of a step follow from (seed, epoch, step), so there is no generator state to keep.
struct Checkpoint {
    std::uint64_t step = 0;    // finished steps
    int epochs = 0;            // finished epochs
    std::int64_t nextRow = 0;  // place in the epoch's order where the next batch starts
    std::int64_t rows = 0;     // of an epoch
    std::int64_t globalBatch = 0;
    std::uint64_t seed = 0;
    std::string specHash;
    EpochSums sums;
    std::optional<EpochResult> last;
    RuleState rules;
    std::vector<StateTensor> tensors;  // in State order
    bool operator==(const Checkpoint&) const = default;
};

struct CheckpointInfo {
    std::string id;  // "step-0000000120"; its file is <id>.lsc
    std::uint64_t step = 0;
    std::uint64_t bytes = 0;
    std::string specHash;
    double time = 0;  // Unix seconds
    bool operator==(const CheckpointInfo&) const = default;
};

// Reads and checks a whole file. Error C701 says what is wrong with it.
Result<Checkpoint> readCheckpoint(const std::filesystem::path& file);
// The same for bytes in memory; `file` is for the error.
Result<Checkpoint> parseCheckpoint(std::span<const std::byte> bytes, const std::filesystem::path& file);
// Writes and syncs a file; no rename, no manifest. Errors F604, F605.
Result<void> writeCheckpoint(const std::filesystem::path& file, const Checkpoint& checkpoint);

class CheckpointStore {
public:
    // keep < 2 counts as 2.
    explicit CheckpointStore(std::filesystem::path folder, int keep = 2);

    // Makes the folder and removes what a killed writer left. Errors F604, F605. Only the writer calls it.
    Result<void> prepare();

    // Commits a checkpoint and removes those beyond `keep`. Gives its id. On error what was there before is untouched.
    Result<std::string> save(const Checkpoint& checkpoint);

    // Committed checkpoints, oldest first. When the manifest is missing or damaged: all files of the folder, unchecked.
    std::vector<CheckpointInfo> list() const;

    struct Loaded {
        std::string id;
        Checkpoint checkpoint;
        std::vector<Error> skipped;  // C701 of each newer one that is damaged
    };
    // The newest whole checkpoint; nothing when there is none at all. Errors: C701 when all are damaged; C702 when it belongs to
    // another specification.
    Result<std::optional<Loaded>> loadNewest(const std::string& specHash) const;

private:
    std::filesystem::path fileOf(const std::string& id) const { return m_folder / (id + ".lsc"); }
    Result<std::optional<Loaded>> loadFrom(const std::vector<CheckpointInfo>& candidates, std::vector<Error>& skipped) const;
    void removeUnlisted(const std::vector<CheckpointInfo>& listed) const;

    std::filesystem::path m_folder;
    std::size_t m_keep;
};

}  // namespace lockstep::train
