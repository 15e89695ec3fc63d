// The layers of a Keras model as neutral values, read from and written to config.json. Keras' own words: class names, layer names and
// the arguments of constructors stay as they are; what a layer computes is core/nn's business.
//
// Only Sequential and Functional models of Keras' own layers are read. Anything that names code (Lambda layers, functions and classes
// of somebody else) is refused, as are nested models and layers that are called twice.
#pragma once

#include <base/result.h>
#include <keras/value.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::keras {

enum class ModelKind { Sequential, Functional };

struct Inbound {
    std::string layer;                // whose output comes in
    std::string argument;             // name of the call's argument; empty when given by place
    std::vector<std::int64_t> shape;  // of that output as the file says, -1 for any; empty when the file says none
    std::string dtype = "float32";
    bool operator==(const Inbound&) const = default;
};

struct LayerConfig {
    std::string className;         // "Conv2D"
    std::string name;              // "conv1"
    Value config;                  // an object: the constructor's arguments ("filters", "activation", …)
    std::vector<Inbound> inbound;  // in the order of the call; empty for an InputLayer
    Value::Object callArguments;   // what else the call was given: {"use_causal_mask", true}; no nulls, no "training"
    bool operator==(const LayerConfig&) const = default;
};

struct Architecture {
    ModelKind kind = ModelKind::Sequential;
    std::string name;
    std::vector<LayerConfig> layers;           // every layer after those it takes from; a Sequential begins with its InputLayer too
    std::vector<std::string> inputs, outputs;  // names of layers
    Value compile;                             // compile_config as it stands: optimizer, loss, metrics; null when not compiled
    bool operator==(const Architecture&) const = default;
};

// `file` is for the errors: F652 (not Keras' form), F653 (a layer holds code), F654 (an unknown class), F655 (nested, shared, …).
Result<Architecture> parseArchitecture(std::string_view configJson, const std::string& file);

// config.json in a form that older versions load too: a Sequential in every Keras 3, a Functional since 3.4. Keys that later versions
// added are left out where they hold their default, and dtype policies are written as their names. Read back it is the same
// architecture up to those keys.
std::string printArchitecture(const Architecture& architecture);

// Where Keras keeps each layer's variables, in the order of `layers`: the class name in snake case, numbered per class ("conv2d",
// "conv2d_1"). Empty for the InputLayer of a Sequential, which Keras keeps no group for.
std::vector<std::string> weightGroups(const Architecture& architecture);

// The classes that parseArchitecture() lets pass.
bool isKnownLayer(std::string_view className);

}  // namespace lockstep::keras
