// The layers there are and what can be set on each, in Keras' words: for parsers, editors and error texts.
#pragma once

#include <nn/architecture.h>

#include <optional>
#include <span>

namespace lockstep::nn {

enum class SettingKind : std::uint8_t {
    Flag,         // bool
    Integer,      // int64
    Number,       // double
    Word,         // one of the choices
    Pair,         // two integers; one stands for both
    Integers,     // a list of integers
    Margins,      // of a picture: one, [height, width] or [top, bottom, left, right]
    Activation,   // Word
    Initializer,  // Named
    Regularizer,  // Named or null
};

struct SettingRow {
    std::string_view name;
    SettingKind kind;
    std::string_view fallback;  // Keras' default as text: "1", "[1, 1]", "valid", "null"; "" = required
    double minimum = 0;         // of every number
    double maximum = 1e9;
    std::string_view choices = {};  // Word: separated by blanks; "@" behind one: Keras has it, this build has not
};

struct LayerInfo {
    std::string_view kind;       // "re_lu": the word in specifications and in automatic names
    std::string_view className;  // "ReLU"
    int minInputs = 1;
    int maxInputs = 1;  // -1: any number
    std::span<const SettingRow> settings;
};

std::span<const LayerInfo> layerTable();
// By kind or class name; nullptr = none. "relu" and "leaky_relu" are also found.
const LayerInfo* findLayer(std::string_view word);
// Also those that every layer has: trainable, dtype.
const SettingRow* findSetting(const LayerInfo& layer, std::string_view name);
std::vector<std::string> settingNames(const LayerInfo& layer);

// What is wrong with a value: what would be right ("a whole number from 1 on"), and whether Keras accepts it, so that it is only not
// built here.
struct SettingProblem {
    std::string expected;
    bool notBuilt = false;
    std::string nearWords;  // separated by blanks: the words it could have meant
};
std::optional<SettingProblem> problemOf(const SettingRow& row, const Setting& value);

// A setting as text, as in a specification: "[3, 3]", "{name: l2, l2: 0.001}".
std::string toText(const Setting& setting);

}  // namespace lockstep::nn
