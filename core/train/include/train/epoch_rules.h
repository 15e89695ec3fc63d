// What is done at the end of an epoch, as Keras' callbacks of these names do it (keras/callbacks, Keras 3). Values, thread safe.
//
// A rule watches one value of the epoch: "loss", "val_loss", a metric by its name ("accuracy") or that of the validation ("val_accuracy").
// Every rank sees the same values and comes to the same decision.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::train {

enum class Goal : std::uint8_t { Less, Greater };  // what counts as better

struct EarlyStopping {
    std::string monitor = "val_loss";
    Goal goal = Goal::Less;
    double minDelta = 0;
    int patience = 0;  // epochs without an improvement
    std::optional<double> baseline;
    bool restoreBestWeights = false;
    int startFromEpoch = 0;
    bool operator==(const EarlyStopping&) const = default;
};

struct ReduceOnPlateau {
    std::string monitor = "val_loss";
    Goal goal = Goal::Less;
    double factor = 0.1;
    int patience = 10;
    double minDelta = 1e-4;
    int cooldown = 0;
    double minLearningRate = 0;
    bool operator==(const ReduceOnPlateau&) const = default;
};

// Keras' ModelCheckpoint with save_best_only: the best epoch's checkpoint, in a folder beside the others.
struct BestCheckpoint {
    std::string monitor = "val_loss";
    Goal goal = Goal::Less;
    std::optional<double> threshold;  // initial_value_threshold
    std::filesystem::path folder;
    bool operator==(const BestCheckpoint&) const = default;
};

// Keras' CSVLogger: one line per epoch, columns epoch, then the values in alphabetical order.
struct CsvLog {
    std::filesystem::path file;
    std::string separator = ",";
    bool operator==(const CsvLog&) const = default;
};

// Keras' LearningRateScheduler with a fixed formula: learning_rate · factor^⌊max(epoch − startFromEpoch, 0) / epochs⌋, epochs from 0.
struct EpochRates {
    double factor = 1;
    int epochs = 1;
    int startFromEpoch = 0;
    bool operator==(const EpochRates&) const = default;
};

// Ends the run with the epoch that reaches it.
struct Target {
    std::string monitor;
    Goal goal = Goal::Greater;
    double value = 0;
    bool operator==(const Target&) const = default;
};

struct EpochRules {
    std::optional<EarlyStopping> earlyStopping;
    std::optional<ReduceOnPlateau> reduceOnPlateau;
    std::optional<BestCheckpoint> bestCheckpoint;
    std::optional<CsvLog> csvLog;
    std::optional<EpochRates> rates;
    std::optional<Target> target;
    bool operator==(const EpochRules&) const = default;
};

// What the rules remember from epoch to epoch; part of a checkpoint. NaN: nothing seen yet.
struct RuleState {
    double stopBest = std::numeric_limits<double>::quiet_NaN();
    double plateauBest = std::numeric_limits<double>::quiet_NaN();
    double checkpointBest = std::numeric_limits<double>::quiet_NaN();
    double learningRate = std::numeric_limits<double>::quiet_NaN();  // instead of the optimizer's, once a rule has set it
    int stopWait = 0, plateauWait = 0, plateauCooldown = 0;
    int bestEpoch = -1;  // of early stopping
};
// NaN is equal to itself here.
bool operator==(const RuleState& a, const RuleState& b);

}  // namespace lockstep::train
