#include "callback_list.h"

#include "layer_list.h"
#include "values.h"

#include <base/units.h>
#include <nn/layer_table.h>
#include <spec/nearest.h>

#include <algorithm>
#include <cmath>

namespace lockstep::spec {
namespace {

using nn::SettingKind;
using nn::SettingRow;

// Free text: a word without choices.
constexpr SettingRow text(std::string_view name, std::string_view fallback) { return {name, SettingKind::Word, fallback}; }
constexpr double kAny = 1e300;
constexpr SettingRow kMonitor = text("monitor", "val_loss");
constexpr SettingRow kMode{"mode", SettingKind::Word, "auto", 0, 0, "auto min max"};

constexpr SettingRow kEarlyStopping[] = {kMonitor,
                                         {"min_delta", SettingKind::Number, "0", -kAny, kAny},
                                         {"patience", SettingKind::Integer, "0", 0, 1e6},
                                         kMode,
                                         {"baseline", SettingKind::Number, "null", -kAny, kAny},
                                         {"restore_best_weights", SettingKind::Flag, "false"},
                                         {"start_from_epoch", SettingKind::Integer, "0", 0, 1e6}};
constexpr SettingRow kReduceOnPlateau[] = {kMonitor,
                                           {"factor", SettingKind::Number, "0.1", 0, 0.999999},
                                           {"patience", SettingKind::Integer, "10", 0, 1e6},
                                           kMode,
                                           {"min_delta", SettingKind::Number, "0.0001", 0, kAny},
                                           {"cooldown", SettingKind::Integer, "0", 0, 1e6},
                                           {"min_lr", SettingKind::Number, "0", 0, kAny}};
constexpr SettingRow kModelCheckpoint[] = {kMonitor, kMode, {"initial_value_threshold", SettingKind::Number, "null", -kAny, kAny}};
constexpr SettingRow kCsvLogger[] = {text("filename", "epochs.csv"), text("separator", ",")};
constexpr SettingRow kScheduler[] = {{"factor", SettingKind::Number, "", 0, kAny},
                                     {"epochs", SettingKind::Integer, "1", 1, 1e6},
                                     {"start_from_epoch", SettingKind::Integer, "0", 0, 1e6}};

struct CallbackRow {
    std::string_view name, className, alias;
    std::span<const SettingRow> settings;
};
constexpr CallbackRow kRows[] = {
    {"early_stopping", "EarlyStopping", "", kEarlyStopping},
    {"reduce_lr_on_plateau", "ReduceLROnPlateau", "reduce_on_plateau", kReduceOnPlateau},
    {"model_checkpoint", "ModelCheckpoint", "", kModelCheckpoint},
    {"csv_logger", "CSVLogger", "csv_log", kCsvLogger},
    {"learning_rate_scheduler", "LearningRateScheduler", "", kScheduler},
};

const CallbackRow* findCallback(std::string_view word) {
    if (word.empty()) return nullptr;
    const auto found =
        std::ranges::find_if(kRows, [&](const CallbackRow& row) { return row.name == word || row.className == word || row.alias == word; });
    return found == std::ranges::end(kRows) ? nullptr : found;
}

const SettingRow* findSetting(const CallbackRow& callback, std::string_view name) {
    const auto found = std::ranges::find(callback.settings, name, &SettingRow::name);
    return found == callback.settings.end() ? nullptr : &*found;
}

bool isFreeText(const SettingRow& row) { return row.kind == SettingKind::Word && row.choices.empty(); }

std::string listOf(const std::vector<std::string>& words) {
    std::string list;
    for (const std::string& word : words) list += (list.empty() ? "" : ", ") + word;
    return list;
}

Error wrongAt(const YamlNode& node, std::string_view code, const std::string& key, std::string expected) {
    return makeError(code,
                     {{"where", node.where()}, {"key", key}, {"expected", std::move(expected)}, {"found", "\"" + node.toFlow() + "\""}});
}

Result<const CallbackRow*> readName(const YamlNode& node, const std::string& key) {
    const CallbackRow* row = node.kind == YamlNode::Kind::Scalar ? findCallback(node.text) : nullptr;
    if (row != nullptr) return row;
    std::vector<std::string> names;
    for (const CallbackRow& known : kRows) names.emplace_back(known.name);
    const auto nearest = nearestWord(node.text, names);
    return wrongAt(node, "S304", key, "one of " + listOf(names) + (nearest ? " (did you mean \"" + *nearest + "\"?)" : ""));
}

// Files of a run stay in its folder.
bool isPlainFileName(const std::string& name) {
    return name.ends_with(".csv") && name.size() <= 100 && name.front() != '.' && name.find('/') == std::string::npos &&
           std::ranges::none_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

Result<void> readSetting(const YamlNode::Entry& entry, const std::string& path, const CallbackRow& callback, CallbackSpec& spec) {
    const std::string key = path + "." + entry.key;
    const SettingRow* row = findSetting(callback, entry.key);
    if (row == nullptr) {
        YamlNode at = entry.value;
        if (entry.line != 0) {
            at.line = entry.line;
            at.column = entry.column;
        }
        std::vector<std::string> names = {"name"};
        for (const SettingRow& known : callback.settings) names.emplace_back(known.name);
        const auto nearest = nearestWord(entry.key, names);
        return makeError("S302", {{"where", at.where()},
                                  {"key", key},
                                  {"hint", nearest ? "; did you mean \"" + *nearest + "\"?" : "."},
                                  {"names", listOf(names)}});
    }
    if (isFreeText(*row)) {
        if (entry.value.kind != YamlNode::Kind::Scalar || entry.value.text.empty()) return wrongAt(entry.value, "S303", key, "a text");
        if (row->name == "filename" && !isPlainFileName(entry.value.text))
            return wrongAt(entry.value, "S304", key, "a plain file name that ends in .csv: the file lies in the folder of the run");
        if (row->name == "separator" && entry.value.text.size() != 1) return wrongAt(entry.value, "S304", key, "one letter");
        spec.settings.emplace(entry.key, entry.value.text);
        return {};
    }
    LS_TRY_ASSIGN(nn::Setting value, readSettingValue(entry.value, key));
    if (const auto problem = nn::problemOf(*row, value)) return wrongAt(entry.value, "S304", key, problem->expected);
    spec.settings.emplace(entry.key, std::move(value));
    return {};
}

Result<CallbackSpec> readCallback(const YamlNode& node, const std::string& path) {
    CallbackSpec spec;
    if (node.kind == YamlNode::Kind::Scalar) {
        LS_TRY_ASSIGN(const CallbackRow* row, readName(node, path));
        spec.name = row->name;
    } else {
        if (node.kind != YamlNode::Kind::Map)
            return wrongAt(node, "S303", path, "a word or a map, such as {name: early_stopping, patience: 3}");
        const YamlNode* name = nullptr;
        for (const YamlNode::Entry& entry : node.entries)
            if (entry.key == "name") name = &entry.value;
        if (name == nullptr) return makeError("S305", {{"where", node.where()}, {"key", path + ".name"}});
        LS_TRY_ASSIGN(const CallbackRow* row, readName(*name, path + ".name"));
        spec.name = row->name;
        for (const YamlNode::Entry& entry : node.entries)
            if (entry.key != "name") LS_TRY(readSetting(entry, path, *row, spec));
    }
    for (const SettingRow& row : findCallback(spec.name)->settings)
        if (row.fallback.empty() && !spec.settings.contains(row.name))
            return makeError("S305", {{"where", node.where()}, {"key", path + "." + std::string(row.name)}});
    return spec;
}

nn::Setting fallbackOf(const SettingRow& row) {
    if (row.fallback == "null") return std::monostate{};
    const std::string word(row.fallback);
    switch (row.kind) {
        case SettingKind::Flag: return row.fallback == "true";
        case SettingKind::Integer: return static_cast<std::int64_t>(std::stoll(word));
        case SettingKind::Number: return std::stod(word);
        default: return word;
    }
}

}  // namespace

Result<std::vector<CallbackSpec>> readCallbacks(const KeyRow& row, const YamlNode& node) {
    const std::string key(row.path);
    if (node.kind != YamlNode::Kind::Sequence) return wrongAt(node, "S303", key, "a list of callbacks");
    std::vector<CallbackSpec> callbacks;
    for (std::size_t i = 0; i < node.items.size(); ++i) {
        LS_TRY_ASSIGN(CallbackSpec spec, readCallback(node.items[i], key + "." + std::to_string(i)));
        if (std::ranges::find(callbacks, spec.name, &CallbackSpec::name) != callbacks.end())
            return makeError("S307", {{"where", node.items[i].where()}, {"what", spec.name + " is given twice"}, {"next", "Keep one."}});
        callbacks.push_back(std::move(spec));
    }
    return callbacks;
}

std::string writeCallbacks(const std::vector<CallbackSpec>& callbacks) {
    std::string out = "[";
    for (const CallbackSpec& callback : callbacks) {
        out += (out.size() > 1 ? ", " : "") + ("{name: " + callback.name);
        for (const auto& [name, value] : callback.settings) out += ", " + name + ": " + writeSettingValue(value);
        out += "}";
    }
    return out + "]";
}

nn::Setting settingOf(const CallbackSpec& callback, std::string_view name) {
    const auto given = callback.settings.find(name);
    if (given != callback.settings.end()) return given->second;
    return fallbackOf(*findSetting(*findCallback(callback.name), name));
}

Result<StopTarget> parseStopTarget(std::string_view text, const std::string& where) {
    const auto trimmed = [](std::string_view part) {
        while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
        while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
        return std::string(part);
    };
    StopTarget target;
    for (const std::string_view sign : {">=", "<="}) {
        const std::size_t at = text.find(sign);
        if (at == std::string_view::npos) continue;
        target.monitor = trimmed(text.substr(0, at));
        target.greater = sign == ">=";
        YamlNode number;
        number.kind = YamlNode::Kind::Scalar;
        number.text = trimmed(text.substr(at + sign.size()));
        const auto value = readSettingValue(number, "stop.target");
        const auto* whole = value.ok() ? std::get_if<std::int64_t>(&*value) : nullptr;
        const auto* real = value.ok() ? std::get_if<double>(&*value) : nullptr;
        if (whole != nullptr) target.value = static_cast<double>(*whole);
        if (real != nullptr) target.value = *real;
        if (!target.monitor.empty() && (whole != nullptr || (real != nullptr && std::isfinite(*real)))) return target;
    }
    return makeError("S304", {{"where", where},
                              {"key", "stop.target"},
                              {"expected", "a value and a limit, such as \"val_accuracy >= 0.98\""},
                              {"found", "\"" + std::string(text) + "\""}});
}

Result<void> checkMonitors(const RunSpec& spec, bool validates) {
    std::vector<std::string> measured = {"loss"};
    measured.insert(measured.end(), spec.training.metrics.begin(), spec.training.metrics.end());
    const std::size_t ofTraining = measured.size();
    for (std::size_t i = 0; validates && i < ofTraining; ++i) measured.push_back("val_" + measured[i]);
    const auto need = [&](const std::string& where, const std::string& monitor) -> Result<void> {
        if (std::ranges::find(measured, monitor) != measured.end()) return {};
        const bool validation = monitor.starts_with("val_") && !validates;
        return makeError("S307", {{"where", where},
                                  {"what", "it watches " + monitor + ", and this run measures " + listOf(measured)},
                                  {"next", validation ? "Give it rows for validation (data.validation_split), or watch one of these."
                                                      : "Watch one of these, or add it to training.metrics."}});
    };
    for (std::size_t i = 0; i < spec.training.callbacks.size(); ++i) {
        const CallbackSpec& callback = spec.training.callbacks[i];
        if (findSetting(*findCallback(callback.name), "monitor") == nullptr) continue;
        LS_TRY(need("training.callbacks." + std::to_string(i) + " (" + callback.name + ")",
                    std::get<std::string>(settingOf(callback, "monitor"))));
    }
    if (!spec.stopTarget) return {};
    LS_TRY_ASSIGN(const StopTarget target, parseStopTarget(*spec.stopTarget, "stop.target"));
    return need("stop.target", target.monitor);
}

}  // namespace lockstep::spec
