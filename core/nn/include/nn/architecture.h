// A model as Keras describes it: a list of layers with their settings. Read from a specification or a .keras file, or made by a preset;
// model.h builds it into a graph. Values, thread safe.
#pragma once

#include <base/result.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lockstep::nn {

// An initializer or regularizer: Keras' name and its numbers, as {name: l2, l2: 0.001}.
struct Named {
    std::string name;
    std::map<std::string, double, std::less<>> arguments;
    double argumentOr(std::string_view key, double fallback) const;
    bool operator==(const Named&) const = default;
};

// monostate = null. Which alternative a key takes stands in its row (layer_table.h); Integer is accepted where a Number is wanted, a
// Word where a Named, an Integer where a list of two.
using Setting = std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<std::int64_t>, Named>;
using Settings = std::map<std::string, Setting, std::less<>>;

struct LayerSpec {
    std::string kind;                 // "conv2d": Keras' class in snake case; its class name ("Conv2D") does as well
    std::string name;                 // unique; empty = Keras' automatic one: "conv2d", "conv2d_1", …
    Settings settings;                // the given ones; Keras' defaults hold for the rest
    std::vector<std::string> inputs;  // names of earlier layers or kInputName; empty = the layer before (Sequential)
    bool operator==(const LayerSpec&) const = default;
};

// Name of the model's only input.
inline constexpr std::string_view kInputName = "input";

enum class InputKind : std::uint8_t { Numbers, Tokens };  // floats, or i32 indices for an embedding

struct Architecture {
    std::vector<std::int64_t> inputShape;  // of one row
    InputKind input = InputKind::Numbers;
    std::vector<LayerSpec> layers;  // every layer after those it reads
    std::string output;             // the layer whose result is the model's; empty = the last
    bool operator==(const Architecture&) const = default;
};

// The same with kinds in snake case, names and inputs written out. Errors: S415 (unknown kind, setting, wrong value, missing one),
// S416 (name taken, unknown or later input, wrong number of inputs, no layers), X009 (known to Keras, but not built).
Result<Architecture> completed(const Architecture& architecture);

// A model of these layers on rows of that shape. Its input is Tokens when an embedding reads it.
Architecture architectureOf(std::vector<LayerSpec> layers, std::vector<std::int64_t> inputShape);

}  // namespace lockstep::nn
