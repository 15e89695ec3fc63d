#include "json_tree.h"

#include <spec/tf_config.h>

#include <charconv>

namespace lockstep::spec {
namespace {

using Kind = JsonNode::Kind;

Error wrong(const std::string& path, const std::string& expected, const JsonNode* found) {
    return makeError("T325",
                     {{"path", path}, {"expected", expected}, {"kind", found == nullptr ? "absent" : std::string(found->kindName())}});
}

const JsonNode* member(const JsonNode& node, std::string_view key) {
    const auto* entry = node.find(key);
    return entry == nullptr ? nullptr : &entry->value;
}

std::string textOf(const JsonNode& node, std::string_view key) {
    const JsonNode* found = member(node, key);
    return found != nullptr && (found->kind == Kind::String || found->kind == Kind::Number) ? found->text : std::string();
}

int intOf(const JsonNode& node, std::string_view key) {
    int value = 0;
    const std::string text = textOf(node, key);
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

bool boolOf(const JsonNode& node, std::string_view key) {
    const JsonNode* found = member(node, key);
    return found != nullptr && found->kind == Kind::Bool && found->truth;
}

std::map<std::string, std::string> textsOf(const JsonNode& node, std::string_view key) {
    std::map<std::string, std::string> texts;
    if (const JsonNode* found = member(node, key)) {
        for (const JsonNode::Entry& entry : found->entries) texts[entry.key] = entry.value.text;
    }
    return texts;
}

Result<Machine> readMachine(const JsonNode& node) {
    Machine machine;
    machine.name = textOf(node, "name");
    if (machine.name.empty()) return wrong("context.machines[].name", "a text", member(node, "name"));
    if (const JsonNode* addresses = member(node, "addresses")) {
        for (const JsonNode& address : addresses->items) machine.addresses.push_back(address.text);
    }
    if (const JsonNode* devices = member(node, "devices"); devices != nullptr && devices->kind == Kind::Number)
        machine.devices = intOf(node, "devices");
    machine.environment = textsOf(node, "env");
    if (const JsonNode* listening = member(node, "listening")) {
        for (const JsonNode& one : listening->items) {
            machine.listening.push_back({intOf(one, "port"), intOf(one, "pid"), textOf(one, "user"), textOf(one, "command")});
        }
    }
    return machine;
}

Result<std::vector<TaskConfig>> readTasks(const JsonNode& root) {
    const JsonNode* tasks = member(root, "tasks");
    if (tasks == nullptr || tasks->kind != Kind::Array) return wrong("tasks", "a list", tasks);
    std::vector<TaskConfig> configs;
    for (const JsonNode& task : tasks->items) {
        TaskConfig config;
        config.machine = textOf(task, "machine");
        if (config.machine.empty()) return wrong("tasks[].machine", "a text", member(task, "machine"));
        const JsonNode* text = member(task, "tf_config");
        if (text != nullptr && text->kind == Kind::String) config.text = text->text;
        if (text == nullptr || (text->kind != Kind::String && text->kind != Kind::Null))
            return wrong("tasks[].tf_config", "a text or null", text);
        configs.push_back(std::move(config));
    }
    return configs;
}

Result<CheckContext> readContext(const JsonNode& node) {
    CheckContext context;
    if (const std::string strategy = textOf(node, "strategy"); !strategy.empty()) context.strategy = strategy;
    context.tensorflowVersion = textOf(node, "tf_version");
    context.kerasVersion = textOf(node, "keras_version");
    context.singleHost = boolOf(node, "single_host");
    context.partial = boolOf(node, "partial");
    context.aliases = textsOf(node, "aliases");
    if (const JsonNode* machines = member(node, "machines")) {
        for (const JsonNode& one : machines->items) {
            LS_TRY_ASSIGN(Machine machine, readMachine(one));
            context.machines.push_back(std::move(machine));
        }
    }
    if (const JsonNode* reach = member(node, "reach")) {
        for (const JsonNode::Entry& from : reach->entries) {
            for (const JsonNode::Entry& to : from.value.entries) context.reach[from.key][to.key] = to.value.truth;
        }
    }
    return context;
}

}  // namespace

Result<CheckCase> parseCheckCase(std::string_view json) {
    const auto parsed = parseJson(json);
    if (const auto* problem = std::get_if<JsonProblem>(&parsed)) {
        return makeError(
            "T303", {{"line", std::to_string(problem->at.line)}, {"column", std::to_string(problem->at.column)}, {"what", problem->what}});
    }
    const JsonNode& root = std::get<JsonNode>(parsed);
    CheckCase result;
    LS_TRY_ASSIGN(result.configs, readTasks(root));
    if (const JsonNode* context = member(root, "context")) {
        LS_TRY_ASSIGN(result.context, readContext(*context));
    }
    return result;
}

}  // namespace lockstep::spec
