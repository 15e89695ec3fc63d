#include <keras/architecture.h>

#include "json.h"

#include <algorithm>
#include <array>

namespace lockstep::keras {
namespace {

// Keys that came after Keras 3.0 and mean nothing at these values. Older versions stop at a key they don't know.
struct NewerKey {
    std::string_view className;  // empty: any class
    std::string_view key;
    Value idle;
};

const std::array<NewerKey, 10>& newerKeys() {
    static const std::array<NewerKey, 10> kKeys{{
        {"", "quantization_config", Value()},
        {"", "input_axes", Value()},
        {"", "output_axes", Value()},
        {"BatchNormalization", "renorm", false},
        {"InputLayer", "optional", false},
        {"InputLayer", "ragged", false},
        {"MultiHeadAttention", "flash_attention", Value()},
        {"MultiHeadAttention", "seed", Value()},
        {"MultiHeadAttention", "sliding_window", Value()},
        {"MultiHeadAttention", "use_gate", false},
    }};
    return kKeys;
}

bool isIdle(const std::string& className, const Value& config, const Value::Member& member) {
    const auto& [key, value] = member;
    // These two say how to renormalise, if one does.
    if (key == "renorm_clipping" || key == "renorm_momentum") {
        const Value* renorm = config.find("renorm");
        return renorm == nullptr || *renorm == Value(false);
    }
    return std::ranges::any_of(newerKeys(), [&, &key = key, &value = value](const NewerKey& row) {
        return row.key == key && (row.className.empty() || row.className == className) && row.idle == value;
    });
}

Value minimalConfig(const std::string& className, const Value& config);

// The same value without what loading does not need.
Value minimal(const Value& value) {
    if (const auto* list = value.list()) {
        Value::List out;
        for (const Value& item : *list) out.push_back(minimal(item));
        return out;
    }
    const auto* members = value.object();
    const Value* config = value.find("config");
    const std::string className = value.textOf("class_name");
    if (members == nullptr) return value;
    if (className == "DTypePolicy" && config != nullptr && !config->textOf("name").empty()) return config->textOf("name");
    Value::Object out;
    for (const auto& [key, member] : *members) {
        if (key == "shared_object_id" || key == "build_config") continue;
        out.emplace_back(key, key == "config" && !className.empty() ? minimalConfig(className, member) : minimal(member));
    }
    return out;
}

Value minimalConfig(const std::string& className, const Value& config) {
    const auto* members = config.object();
    if (members == nullptr) return config;
    Value::Object out;
    for (const auto& member : *members)
        if (!isIdle(className, config, member)) out.emplace_back(member.first, minimal(member.second));
    return out;
}

Value tensorOf(const Inbound& inbound) {
    Value::List shape;
    for (const std::int64_t dim : inbound.shape) shape.push_back(dim < 0 ? Value() : Value(dim));
    return Value::Object{
        {"class_name", "__keras_tensor__"},
        {"config",
         Value::Object{{"shape", std::move(shape)}, {"dtype", inbound.dtype}, {"keras_history", Value::List{inbound.layer, 0, 0}}}}};
}

// Layers that merge take one list of tensors, the others their tensors one by one.
bool takesList(const std::string& className) {
    return className == "Add" || className == "Average" || className == "Concatenate" || className == "Multiply";
}

Value nodesOf(const LayerConfig& layer) {
    if (layer.inbound.empty()) return Value::List{};
    Value::List arguments;
    Value::Object named;
    for (const Inbound& inbound : layer.inbound) {
        if (inbound.argument.empty())
            arguments.push_back(tensorOf(inbound));
        else
            named.emplace_back(inbound.argument, tensorOf(inbound));
    }
    if (takesList(layer.className)) arguments = Value::List{Value(std::move(arguments))};
    for (const auto& member : layer.callArguments) named.push_back(member);
    return Value::List{Value::Object{{"args", std::move(arguments)}, {"kwargs", std::move(named)}}};
}

Value layerObject(const LayerConfig& layer, ModelKind kind) {
    Value::Object object{{"module", "keras.layers"},
                         {"class_name", layer.className},
                         {"config", minimalConfig(layer.className, layer.config)},
                         {"registered_name", Value()}};
    if (kind == ModelKind::Functional) {
        object.emplace_back("name", layer.name);
        object.emplace_back("inbound_nodes", nodesOf(layer));
    }
    return object;
}

// One end stands for itself, so that the model gives a tensor and no list of one.
Value endsOf(const std::vector<std::string>& names) {
    Value::List ends;
    for (const auto& name : names) ends.push_back(Value::List{name, 0, 0});
    return ends.size() == 1 ? ends.front() : Value(std::move(ends));
}

}  // namespace

std::string printArchitecture(const Architecture& architecture) {
    const bool sequential = architecture.kind == ModelKind::Sequential;
    Value::List layers;
    for (const LayerConfig& layer : architecture.layers) layers.push_back(layerObject(layer, architecture.kind));
    Value::Object config{{"name", architecture.name}, {"trainable", true}, {"layers", std::move(layers)}};
    if (!sequential) {
        config.emplace_back("input_layers", endsOf(architecture.inputs));
        config.emplace_back("output_layers", endsOf(architecture.outputs));
    }
    Value::Object model{{"module", sequential ? "keras" : "keras.src.models.functional"},
                        {"class_name", sequential ? "Sequential" : "Functional"},
                        {"config", std::move(config)},
                        {"registered_name", sequential ? Value() : Value("Functional")}};
    if (!architecture.compile.isNull()) model.emplace_back("compile_config", minimal(architecture.compile));
    return printJson(model);
}

}  // namespace lockstep::keras
