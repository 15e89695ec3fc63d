// The run specification as values: what a person asks for (architecture 9). Field names are the YAML keys in camel case; defaults are
// those of resources/schema/run-spec.schema.json. Values, thread safe.
#pragma once

#include <base/clock.h>
#include <base/result.h>
#include <nn/architecture.h>
#include <nn/loss.h>
#include <nn/model.h>
#include <nn/optimizer.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::spec {

enum class Strategy : std::uint8_t { OneDevice, Mirrored, MultiWorkerMirrored };
std::string_view nameOf(Strategy strategy);  // "MirroredStrategy"

struct HostSpec {
    std::string name;
    std::string address = "localhost";
    std::vector<std::string> devices = {"cpu:0"};
    std::vector<std::string> roles = {"worker"};
    bool operator==(const HostSpec&) const = default;
};

struct ClusterSpec {
    std::vector<HostSpec> hosts;  // empty: this computer (architecture 2: one cpu:0 with all cores)
    bool oversubscribe = false;
    int portBase = 12345;
    std::optional<std::string> tfConfig;  // verbatim cluster JSON instead of hosts
    bool operator==(const ClusterSpec&) const = default;
};

struct DataSpec {
    std::string dataset = "mnist";  // mnist idx cifar10 cifar100 npy csv image_folder tfrecord synthetic
    std::optional<std::filesystem::path> path;
    bool shuffle = true;
    std::optional<std::uint64_t> shuffleSeed;  // default: seed
    std::string autoShardPolicy = "AUTO";      // AUTO FILE DATA OFF
    double validationSplit = 0;
    std::vector<std::string> augment;  // random_crop, random_flip
    int cropPadding = 4;
    std::vector<double> mean, deviation;  // per channel; the key of the second is data.std
    std::vector<double> shape;            // of a row; whole numbers
    std::vector<std::string> features;
    std::string label;
    std::int64_t rows = 1024;  // of synthetic data, with its classes
    int classes = 10;
    bool operator==(const DataSpec&) const = default;
};

// The model: a preset, or layers or a file in its place.
struct ModelSpec {
    std::string preset = "cnn";
    std::vector<nn::LayerSpec> layers;             // in Keras' words, checked but for what depends on the data
    std::optional<std::filesystem::path> keras;    // a .keras file: layers and first weights
    std::optional<nn::Architecture> architecture;  // of that file, once it was read
    double kernelL1 = 0;                           // of every kernel whose layer has no kernel_regularizer of its own
    double kernelL2 = 0;
    bool operator==(const ModelSpec&) const = default;
};

// A callback in Keras' words: {name: early_stopping, monitor: val_loss, patience: 3}. Settings that were not given have Keras' defaults.
struct CallbackSpec {
    std::string name;  // early_stopping, reduce_lr_on_plateau, model_checkpoint, csv_logger, learning_rate_scheduler
    nn::Settings settings;
    bool operator==(const CallbackSpec&) const = default;
};

// stop.target: "val_accuracy >= 0.98".
struct StopTarget {
    std::string monitor;
    bool greater = true;
    double value = 0;
    bool operator==(const StopTarget&) const = default;
};

using OptimizerSpec = nn::OptimizerOptions;  // where a key is absent, Keras' default of that optimizer

struct TrainingSpec {
    std::int64_t globalBatchSize = 32;
    int epochs = 3;
    std::optional<std::uint64_t> steps;
    OptimizerSpec optimizer;
    std::vector<std::string> recompute;        // none: {}; auto: {"auto"}; else layers whose results are kept
    std::optional<std::uint64_t> memoryLimit;  // bytes of each rank
    nn::LossOptions loss;
    std::vector<std::string> metrics = {"accuracy"};
    int topK = 5;                             // of the top-k metrics
    double metricThreshold = 0.5;             // of binary_accuracy, precision and recall
    std::optional<std::uint64_t> metricTopK;  // of precision and recall
    std::string mixedPrecision = "none";      // or a mixed policy of nn/precision.h
    int accumulation = 1;                     // gradient_accumulation_steps: batches per update
    bool kerasCompatible = false;             // schedules and the average of the weights count batches, as Keras'
    std::vector<CallbackSpec> callbacks;
    bool operator==(const TrainingSpec&) const = default;
};

struct DistributionSpec {
    std::string reduction = "rows";
    std::string allReduce = "auto";
    std::string transport = "auto";  // auto | shm | tcp
    std::uint64_t bytesPerPack = 25u << 20;
    int slices = 0;  // of a batch; 0: one per replica
    bool operator==(const DistributionSpec&) const = default;
};

struct CheckpointSpec {
    std::optional<Seconds> every = Seconds(30);
    int keep = 2;
    bool operator==(const CheckpointSpec&) const = default;
};

struct RunSpec {
    std::string name;
    std::vector<std::string> tags;
    std::string note;
    std::uint64_t seed = 1;
    Strategy strategy = Strategy::Mirrored;
    ClusterSpec cluster;
    ModelSpec model;
    DataSpec data;
    TrainingSpec training;
    DistributionSpec distribution;
    CheckpointSpec checkpoint;
    bool stopOnNan = true;
    std::optional<std::string> stopTarget;  // text of a StopTarget
    std::optional<Seconds> stopTime;
    bool operator==(const RunSpec&) const = default;
};

// Reads a YAML text. `fileName` is for error positions only. Overrides are "dotted.key=value" as on the command line, applied after the
// file. Bounded: size ≤ 1 MiB, depth ≤ 32, no aliases. Errors (all with file:line:column where there is one): S301 YAML, S302 unknown
// key with the nearest name, S303 wrong type, S304 value out of range, S305 missing key, S306 bad override, S307 contradiction,
// S309 too deep / aliases / too large; X009 (exit 9) for a key or value that is known but not built yet.
Result<RunSpec> parseRunSpec(std::string_view yaml, const std::string& fileName, const std::vector<std::string>& overrides = {});
Result<RunSpec> loadRunSpec(const std::filesystem::path& file, const std::vector<std::string>& overrides = {});

// Where a value stands: "spec.yaml:12:5", the override that sets it, or the file's name alone where its default holds. `key` is dotted.
// Errors: those of reading the text.
Result<std::string> whereIs(std::string_view key, std::string_view yaml, const std::string& fileName,
                            const std::vector<std::string>& overrides = {});

// Reads the text of stop.target. Error S304: not of the form "NAME >= NUMBER" or "NAME <= NUMBER".
Result<StopTarget> parseStopTarget(std::string_view text, const std::string& where);

// Whether every value that a callback or stop.target watches will be there; `validates`: the run has rows for validation. Error S307.
Result<void> checkMonitors(const RunSpec& spec, bool validates);

// The settings of a callback with Keras' defaults where none was given; "" = null.
nn::Setting settingOf(const CallbackSpec& callback, std::string_view name);

// What a model must know of its data.
struct DataShape {
    std::vector<std::int64_t> row;  // of features
    int classes = 0;                // 0: the rows have numbers as targets
    std::int64_t targetWidth = 0;   // how many of them
};

// The model of a specification on such data. Losses on numbers take classes too: the number of the class, or one-hot, by what the model
// gives for a row. categorical_crossentropy takes classes, or rows of numbers where the data or a metric of counts has them.
nn::ModelOptions modelOptionsOf(const RunSpec& spec, const DataShape& data);

// Its optimizer, with a dynamic loss scale around it under mixed_float16, as Keras' compile() has it.
nn::OptimizerOptions optimizerOptionsOf(const RunSpec& spec);

// How many replicas the specification names; none when the computer it runs on decides.
std::optional<std::int64_t> namedReplicas(const RunSpec& spec);

// The resolved specification as YAML with every key written out; parse(print(s)) == s.
std::string printRunSpec(const RunSpec& spec);

// SHA-256 (hex) over the parts that decide the numbers (model, data, training, seed, reduction), not over names, hosts or policies:
// a checkpoint belongs to any run with the same hash.
std::string specHash(const RunSpec& spec);

}  // namespace lockstep::spec
