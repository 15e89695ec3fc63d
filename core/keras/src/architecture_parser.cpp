#include <keras/architecture.h>

#include "json.h"

#include <algorithm>
#include <unordered_set>

namespace lockstep::keras {
namespace {

constexpr std::size_t kMostLayers = 20'000;
constexpr std::size_t kMostNameBytes = 256;

bool isKerasModule(const std::string& module) { return module == "keras" || module.starts_with("keras."); }

class Parser {
public:
    explicit Parser(const std::string& file) : m_file(file) {}

    Result<Architecture> parse(const Value& model) {
        const std::string kind = model.textOf("class_name");
        const Value* config = model.find("config");
        if (kind.empty() || config == nullptr || config->object() == nullptr) return malformed("it describes no model");
        if (kind != "Sequential" && kind != "Functional") return unknown(model, config->textOf("name"));
        m_out.kind = kind == "Sequential" ? ModelKind::Sequential : ModelKind::Functional;
        m_out.name = config->textOf("name");
        const Value* layers = config->find("layers");
        if (layers == nullptr || layers->list() == nullptr || layers->list()->empty()) return malformed("the model has no list of layers");
        if (layers->list()->size() > kMostLayers) return malformed("the model has " + std::to_string(layers->list()->size()) + " layers");
        for (const Value& layer : *layers->list()) LS_TRY(addLayer(layer));
        if (m_out.kind == ModelKind::Sequential) LS_TRY(chain(*config));
        if (m_out.kind == ModelKind::Functional) {
            LS_TRY(readEnds(config->find("input_layers"), "input_layers", m_out.inputs));
            LS_TRY(readEnds(config->find("output_layers"), "output_layers", m_out.outputs));
        }
        if (const Value* compile = model.find("compile_config"); compile != nullptr && compile->object() && !compile->object()->empty())
            m_out.compile = *compile;
        return std::move(m_out);
    }

private:
    Error malformed(const std::string& what) const {
        return makeError("F652", {{"file", m_file}, {"member", "config.json"}, {"what", what}});
    }
    Error runsCode(const std::string& layer, const std::string& what) const {
        return makeError("F653", {{"file", m_file}, {"layer", printable(layer)}, {"what", what}});
    }
    Error unsupported(const std::string& layer, const std::string& what) const {
        return makeError("F655", {{"file", m_file}, {"layer", printable(layer)}, {"what", what}});
    }
    Error unknown(const Value& object, const std::string& layer) const {
        std::string name = object.textOf("class_name");
        const std::string registered = object.textOf("registered_name"), module = object.textOf("module");
        if (!registered.empty() && registered != name)
            name = registered;
        else if (!module.empty() && !isKerasModule(module))
            name = module + "." + name;
        return makeError("F654", {{"file", m_file}, {"layer", printable(layer)}, {"class", printable(name)}});
    }

    Result<void> addLayer(const Value& object) {
        const Value* config = object.find("config");
        LayerConfig layer;
        layer.className = object.textOf("class_name");
        if (layer.className.empty() || config == nullptr || config->object() == nullptr)
            return malformed("layer " + std::to_string(m_out.layers.size()) + " has no class or no configuration");
        layer.config = *config;
        layer.name = config->textOf("name");
        if (layer.name.empty() || layer.name.size() > kMostNameBytes)
            return malformed("layer " + std::to_string(m_out.layers.size()) + " has no name, or a very long one");
        if (!m_names.insert(layer.name).second) return malformed("two layers are called \"" + printable(layer.name) + "\"");
        LS_TRY(checkClass(object, layer));
        LS_TRY(checkInside(layer.config, layer.name));
        if (m_out.kind == ModelKind::Functional) LS_TRY(readCall(object, layer));
        m_out.layers.push_back(std::move(layer));
        return {};
    }

    Result<void> checkClass(const Value& object, const LayerConfig& layer) const {
        if (layer.className == "Lambda") return runsCode(layer.name, "is a Lambda, which holds Python code");
        if (layer.className == "Sequential" || layer.className == "Functional" || layer.className == "Model")
            return unsupported(layer.name, "is a model itself (" + layer.className + ")");
        const Value* module = object.find("module");
        const bool ours = module == nullptr || (module->text() != nullptr && isKerasModule(*module->text()));
        if (!ours || !object.textOf("registered_name").empty() || !isKnownLayer(layer.className)) return unknown(object, layer.name);
        return {};
    }

    // Initializers, regularizers, activations and so on: only Keras' own, and none that brings code along.
    Result<void> checkInside(const Value& value, const std::string& layer) const {
        if (const auto* list = value.list())
            for (const Value& item : *list) LS_TRY(checkInside(item, layer));
        const auto* members = value.object();
        if (members == nullptr) return {};
        const std::string name = value.textOf("class_name");
        if (name == "__lambda__") return runsCode(layer, "holds Python code (__lambda__)");
        if (!name.empty()) {
            const Value* module = value.find("module");
            const bool foreign = module != nullptr && !module->isNull() && (module->text() == nullptr || !isKerasModule(*module->text()));
            if (foreign || name == "function" || !value.textOf("registered_name").empty()) return unknown(value, layer);
        }
        for (const auto& [key, member] : *members) LS_TRY(checkInside(member, layer));
        return {};
    }

    // The one call of a layer.
    Result<void> readCall(const Value& object, LayerConfig& layer) const {
        const Value* nodes = object.find("inbound_nodes");
        if (nodes == nullptr || nodes->list() == nullptr) return malformed("layer " + printable(layer.name) + " has no inbound_nodes");
        if (nodes->list()->empty()) {
            if (layer.className == "InputLayer") return {};
            return unsupported(layer.name, "is never called");
        }
        if (nodes->list()->size() > 1)
            return unsupported(layer.name, "is called " + std::to_string(nodes->list()->size()) + " times (a shared layer)");
        const Value& node = nodes->list()->front();
        const Value* arguments = node.find("args");
        const Value* named = node.find("kwargs");
        if (arguments == nullptr || arguments->list() == nullptr || named == nullptr || named->object() == nullptr)
            return malformed("inbound_nodes of layer " + printable(layer.name) + " are not in Keras 3's form");
        for (const Value& argument : *arguments->list()) LS_TRY(readArgument(argument, "", layer));
        for (const auto& [name, argument] : *named->object()) LS_TRY(readArgument(argument, name, layer));
        if (layer.inbound.empty()) return unsupported(layer.name, "is called without a tensor");
        return {};
    }

    Result<void> readArgument(const Value& argument, const std::string& name, LayerConfig& layer) const {
        // Whoever runs the model says whether it trains; what the call said counts for nothing.
        if (argument.isNull() || name == "training") return {};
        if (argument.textOf("class_name") == "__keras_tensor__") {
            LS_TRY_ASSIGN(auto inbound, readTensor(argument, name, layer));
            layer.inbound.push_back(std::move(inbound));
            return {};
        }
        const auto* list = argument.list();
        const bool tensors =
            list != nullptr && !list->empty() && std::all_of(list->begin(), list->end(), [](const Value& item) { return item.object(); });
        if (tensors) {
            for (const Value& item : *list) LS_TRY(readArgument(item, name, layer));
            return {};
        }
        if (name.empty()) return unsupported(layer.name, "is called with something that is no tensor");
        LS_TRY(checkInside(argument, layer.name));
        layer.callArguments.emplace_back(name, argument);
        return {};
    }

    Result<Inbound> readTensor(const Value& tensor, const std::string& argument, const LayerConfig& layer) const {
        const Value* config = tensor.find("config");
        const Value* history = config != nullptr ? config->find("keras_history") : nullptr;
        Inbound inbound;
        inbound.argument = argument;
        LS_TRY_ASSIGN(inbound.layer, readHistory(history, layer.name));
        if (!m_names.contains(inbound.layer) || inbound.layer == layer.name)
            return malformed("layer " + printable(layer.name) + " takes from \"" + printable(inbound.layer) + "\", which is not before it");
        if (const std::string dtype = config->textOf("dtype"); !dtype.empty()) inbound.dtype = dtype;
        const Value* shape = config->find("shape");
        if (shape == nullptr || shape->list() == nullptr) return inbound;
        for (const Value& dim : *shape->list()) inbound.shape.push_back(dim.integer().value_or(-1));
        return inbound;
    }

    // ["layer", node, tensor]: the numbers are 0 for layers called once that give one tensor.
    Result<std::string> readHistory(const Value* history, const std::string& forName) const {
        const auto* list = history != nullptr ? history->list() : nullptr;
        if (list == nullptr || list->size() != 3 || list->front().text() == nullptr || !(*list)[1].integer() || !(*list)[2].integer())
            return malformed("a tensor of " + printable(forName) + " has no history");
        if ((*list)[1].integer() != 0 || (*list)[2].integer() != 0)
            return unsupported(*list->front().text(), "gives several tensors or is called several times");
        return *list->front().text();
    }

    // One end, or a list of them.
    Result<void> readEnds(const Value* ends, const char* what, std::vector<std::string>& to) const {
        const auto* list = ends != nullptr ? ends->list() : nullptr;
        if (list == nullptr || list->empty()) return malformed(std::string("the model has no ") + what);
        if (list->front().text() != nullptr) {
            LS_TRY_ASSIGN(auto name, readHistory(ends, what));
            to.push_back(std::move(name));
        } else {
            for (const Value& end : *list) {
                LS_TRY_ASSIGN(auto name, readHistory(&end, what));
                to.push_back(std::move(name));
            }
        }
        for (const auto& name : to)
            if (!m_names.contains(name)) return malformed(std::string(what) + " names \"" + printable(name) + "\", which is no layer");
        return {};
    }

    // A Sequential is a chain; its input may be given by its shape alone.
    Result<void> chain(const Value& config) {
        auto& layers = m_out.layers;
        if (layers.front().className != "InputLayer") {
            const Value* shape = config.find("build_input_shape");
            if (shape == nullptr || shape->list() == nullptr)
                return unsupported(layers.front().name, "has no known input: the model was never built");
            LayerConfig input;
            input.className = "InputLayer";
            input.name = m_names.contains("input_layer") ? "sequential_input" : "input_layer";
            input.config = Value::Object{{"batch_shape", *shape}, {"dtype", "float32"}, {"sparse", false}, {"name", input.name}};
            layers.insert(layers.begin(), std::move(input));
        }
        for (std::size_t i = 1; i < layers.size(); ++i) {
            if (layers[i].className == "InputLayer") return unsupported(layers[i].name, "is a second input of a Sequential");
            layers[i].inbound = {Inbound{layers[i - 1].name, "", {}, "float32"}};
        }
        m_out.inputs = {layers.front().name};
        m_out.outputs = {layers.back().name};
        return {};
    }

    const std::string& m_file;
    Architecture m_out;
    std::unordered_set<std::string> m_names;
};

}  // namespace

Result<Architecture> parseArchitecture(std::string_view configJson, const std::string& file) {
    std::string reason;
    const Value model = parseJson(configJson, reason);
    if (!reason.empty()) return makeError("F652", {{"file", file}, {"member", "config.json"}, {"what", reason}});
    return Parser(file).parse(model);
}

}  // namespace lockstep::keras
