#include "key_table.h"
#include "overrides.h"
#include "values.h"
#include "yaml_tree.h"

#include <base/file.h>
#include <base/units.h>
#include <nn/metric.h>
#include <nn/precision.h>
#include <spec/nearest.h>
#include <spec/run_spec.h>
#include <spec/tf_config.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace lockstep::spec {
namespace {

constexpr std::uint64_t kLargestFile = 1u << 20;
constexpr std::string_view kHosts = "cluster.hosts";

// Walks the tree along the table; remembers which keys were given and where.
class SpecReader {
public:
    explicit SpecReader(RunSpec& spec) : m_spec(spec) {}

    Result<void> readMap(const YamlNode& node, const std::string& prefix, HostSpec* host) {
        if (node.kind == YamlNode::Kind::Null) return {};
        if (node.kind != YamlNode::Kind::Map) {
            return makeError("S303", {{"where", node.where()},
                                      {"key", prefix.empty() ? "the specification" : prefix},
                                      {"expected", "a map of keys"},
                                      {"found", "\"" + node.toFlow() + "\""}});
        }
        for (const YamlNode::Entry& entry : node.entries) LS_TRY(readEntry(entry, prefix, host));
        return {};
    }

    bool given(const std::string& path) const { return m_given.contains(path); }

private:
    Result<void> readEntry(const YamlNode::Entry& entry, const std::string& prefix, HostSpec* host) {
        const std::string path = prefix.empty() ? entry.key : prefix + "." + entry.key;
        if (const KeyRow* row = findKey(path)) {
            m_given.insert(path);
            return readValue(*row, entry.value, row->field(m_spec, host));
        }
        if (path == kHosts) return readHosts(entry.value);
        if (isSection(path)) return readMap(entry.value, path, host);
        return unknownKey(entry, prefix);
    }

    Result<void> readHosts(const YamlNode& node) {
        m_spec.cluster.hosts.clear();
        if (node.kind == YamlNode::Kind::Null) return {};
        if (node.kind != YamlNode::Kind::Sequence) {
            return makeError("S303", {{"where", node.where()},
                                      {"key", std::string(kHosts)},
                                      {"expected", "a list of hosts"},
                                      {"found", "\"" + node.toFlow() + "\""}});
        }
        m_given.insert(std::string(kHosts));
        for (const YamlNode& item : node.items) {
            HostSpec host;
            host.name = m_spec.cluster.hosts.empty() ? "here" : "here-" + std::to_string(m_spec.cluster.hosts.size());
            LS_TRY(readMap(item, std::string(kHosts) + "[]", &host));
            m_spec.cluster.hosts.push_back(std::move(host));
        }
        return {};
    }

    static Error unknownKey(const YamlNode::Entry& entry, const std::string& prefix) {
        YamlNode at = entry.value;
        if (entry.line != 0) {
            at.line = entry.line;
            at.column = entry.column;
        }
        const std::vector<std::string> names = childrenOf(prefix);
        std::string list;
        for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
        const auto nearest = nearestWord(entry.key, names);
        return makeError("S302", {{"where", at.where()},
                                  {"key", prefix.empty() ? entry.key : prefix + "." + entry.key},
                                  {"hint", nearest ? "; did you mean \"" + *nearest + "\"?" : "."},
                                  {"names", list}});
    }

    RunSpec& m_spec;
    std::set<std::string> m_given;
};

Error contradiction(const std::string& origin, std::string what, std::string next) {
    return makeError("S307", {{"where", origin}, {"what", std::move(what)}, {"next", std::move(next)}});
}

// Keys that only some optimizers have, given to another one.
Result<void> checkOptimizerKeys(RunSpec& spec, const std::string& origin) {
    RunSpec defaults;
    const std::string& name = spec.training.optimizer.name;
    for (const nn::OptimizerKey& key : nn::optimizerKeys()) {
        if (std::find(key.optimizers.begin(), key.optimizers.end(), name) != key.optimizers.end()) continue;
        const KeyRow& row = *findKey("training.optimizer." + std::string(key.key));
        if (writeValue(row, row.field(spec, nullptr)) == writeValue(row, row.field(defaults, nullptr))) continue;
        std::string owners;
        for (const std::string_view owner : key.optimizers) owners += (owners.empty() ? "" : ", ") + std::string(owner);
        return contradiction(origin,
                             "training.optimizer: " + std::string(key.key) + " belongs to " + owners + ", and the optimizer is " + name,
                             "Remove it or set another name.");
    }
    return {};
}

Result<void> finishTraining(RunSpec& spec, const SpecReader& reader, const std::string& origin) {
    nn::OptimizerOptions& optimizer = spec.training.optimizer;
    const nn::OptimizerOptions defaults = nn::optimizerDefaults(optimizer.name);
    if (!reader.given("training.optimizer.learning_rate")) optimizer.learningRate = defaults.learningRate;
    if (!reader.given("training.optimizer.beta_2")) optimizer.beta2 = defaults.beta2;
    if (!optimizer.weightDecay) optimizer.weightDecay = defaults.weightDecay;
    LS_TRY(checkOptimizerKeys(spec, origin));
    const auto told = [&](Result<void> checked) -> Result<void> {
        if (checked.ok()) return {};
        Error error = std::move(checked).error();
        error.message = origin + ": " + error.message;
        return error;
    };
    LS_TRY(told(nn::checkOptimizer(optimizer)));
    const std::string& loss = spec.training.loss.name;
    const bool ofNumbers = loss == "mean_squared_error" || loss == "mean_absolute_error" || loss == "huber";
    if (ofNumbers && !reader.given("training.metrics")) spec.training.metrics = {"mean_absolute_error"};
    const auto& metrics = spec.training.metrics;
    for (auto metric = metrics.begin(); metric != metrics.end(); ++metric)
        if (std::find(metrics.begin(), metric, *metric) != metric)
            return contradiction(origin, "training.metrics names " + *metric + " twice", "Name it once.");
    return told(nn::checkLoss(spec.training.loss));
}

// Rules that set the rate take one that nothing else changes.
Result<void> checkRules(const RunSpec& spec, const std::string& origin) {
    std::string setter;
    for (const CallbackSpec& callback : spec.training.callbacks) {
        if (callback.name != "reduce_lr_on_plateau" && callback.name != "learning_rate_scheduler") continue;
        if (!setter.empty())
            return contradiction(origin, "training.callbacks: " + setter + " and " + callback.name + " both set the learning rate",
                                 "Keep one of them.");
        setter = callback.name;
    }
    const std::string& schedule = spec.training.optimizer.schedule.name;
    if (!setter.empty() && schedule != "constant")
        return contradiction(origin, "training.callbacks: " + setter + " sets the learning rate, and so does the schedule " + schedule,
                             "Keep one of them.");
    if (spec.stopTarget) LS_TRY(parseStopTarget(*spec.stopTarget, origin));
    return {};
}

Result<void> checkData(const DataSpec& data, const std::string& origin) {
    if (data.dataset != "mnist" && data.dataset != "synthetic" && !data.path)
        return makeError("S305", {{"where", origin}, {"key", "data.path (dataset " + data.dataset + ")"}});
    for (const double size : data.shape)
        if (size != std::floor(size))
            return makeError("S304",
                             {{"where", origin}, {"key", "data.shape"}, {"expected", "whole numbers"}, {"found", formatDouble(size)}});
    return {};
}

Result<void> checkCluster(const RunSpec& spec, const std::string& origin) {
    if (spec.cluster.tfConfig) {
        if (!spec.cluster.hosts.empty())
            return contradiction(origin, "cluster.hosts and cluster.tf_config are both given", "Keep one of them.");
        if (spec.strategy != Strategy::MultiWorkerMirrored) {
            return contradiction(
                origin,
                "cluster.tf_config belongs to MultiWorkerMirroredStrategy, and the strategy is " + std::string(nameOf(spec.strategy)),
                "Change the strategy or remove the key.");
        }
        LS_TRY(parseCluster(*spec.cluster.tfConfig));
    }
    const std::size_t hosts = spec.cluster.hosts.size();
    if (spec.strategy != Strategy::MultiWorkerMirrored && hosts > 1) {
        return contradiction(origin,
                             std::string(nameOf(spec.strategy)) + " runs on one host, and cluster.hosts has " + std::to_string(hosts),
                             "Use MultiWorkerMirroredStrategy or name one host.");
    }
    if (spec.strategy == Strategy::OneDevice && hosts == 1 && spec.cluster.hosts[0].devices.size() != 1) {
        return contradiction(
            origin, "OneDeviceStrategy takes one device, and " + std::to_string(spec.cluster.hosts[0].devices.size()) + " are named",
            "Use MirroredStrategy or name one device.");
    }
    std::set<std::string> names;
    int chiefs = 0;
    for (const HostSpec& host : spec.cluster.hosts) {
        if (!names.insert(host.name).second)
            return contradiction(origin, "two entries of cluster.hosts are named \"" + host.name + "\"", "Give each its own name.");
        if (host.roles.size() != 1)
            return contradiction(origin, "host \"" + host.name + "\" has " + std::to_string(host.roles.size()) + " roles",
                                 "Give each entry one role.");
        chiefs += host.roles[0] == "chief" ? 1 : 0;
    }
    if (chiefs > 1)
        return contradiction(origin, "cluster.hosts has " + std::to_string(chiefs) + " chiefs", "Keep one; the others are workers.");
    return {};
}

Result<void> finish(RunSpec& spec, const SpecReader& reader, const std::string& origin) {
    if (!reader.given("name")) return makeError("S305", {{"where", origin}, {"key", "name"}});
    if (spec.name.empty()) return makeError("S304", {{"where", origin}, {"key", "name"}, {"expected", "a text"}, {"found", "nothing"}});
    LS_TRY(checkData(spec.data, origin));
    LS_TRY(finishTraining(spec, reader, origin));
    LS_TRY(checkRules(spec, origin));
    if (spec.model.keras && !spec.model.layers.empty())
        return contradiction(origin, "model.keras and model.layers are both given", "Keep one of them.");
    return checkCluster(spec, origin);
}

}  // namespace

std::string_view nameOf(Strategy strategy) {
    switch (strategy) {
        case Strategy::OneDevice: return "OneDeviceStrategy";
        case Strategy::Mirrored: return "MirroredStrategy";
        case Strategy::MultiWorkerMirrored: return "MultiWorkerMirroredStrategy";
    }
    return "";
}

Result<RunSpec> parseRunSpec(std::string_view yaml, const std::string& fileName, const std::vector<std::string>& overrides) {
    LS_TRY_ASSIGN(YamlNode root, parseYaml(yaml, fileName));
    for (const std::string& text : overrides) LS_TRY(applyOverride(root, text));
    RunSpec spec;
    SpecReader reader(spec);
    LS_TRY(reader.readMap(root, "", nullptr));
    LS_TRY(finish(spec, reader, fileName));
    return spec;
}

Result<RunSpec> loadRunSpec(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
    LS_TRY_ASSIGN(const std::string text, readFile(file, kLargestFile));
    return parseRunSpec(text, file.string(), overrides);
}

Result<std::string> whereIs(std::string_view key, std::string_view yaml, const std::string& fileName,
                            const std::vector<std::string>& overrides) {
    LS_TRY_ASSIGN(YamlNode root, parseYaml(yaml, fileName));
    for (const std::string& text : overrides) LS_TRY(applyOverride(root, text));
    YamlNode* node = &root;
    while (node != nullptr && !key.empty()) {
        const auto dot = std::min(key.find('.'), key.size());
        node = node->find(key.substr(0, dot));
        key.remove_prefix(std::min(dot + 1, key.size()));
    }
    return node == nullptr ? fileName : node->where();
}

nn::ModelOptions modelOptionsOf(const RunSpec& spec, const DataShape& data) {
    nn::ModelOptions options;
    options.preset = spec.model.preset;
    options.inputShape = data.row;
    options.classes = data.targetWidth > 0 ? static_cast<int>(data.targetWidth) : data.classes;
    if (spec.model.architecture)
        options.architecture = spec.model.architecture;
    else if (!spec.model.layers.empty())
        options.architecture = nn::architectureOf(spec.model.layers, data.row);
    options.seed = spec.seed;
    options.loss = spec.training.loss;
    if (data.targetWidth > 0)
        options.targetWidths = {data.targetWidth};
    else
        options.targetWidths = {1, data.classes};
    options.metrics.clear();
    for (const std::string& metric : spec.training.metrics)
        options.metrics.push_back(
            {metric, spec.training.topK, spec.training.metricThreshold, static_cast<std::int64_t>(spec.training.metricTopK.value_or(0))});
    const bool counted = std::ranges::any_of(spec.training.metrics, nn::isCounted);
    if (options.loss.name == "categorical_crossentropy") options.loss.labelTargets = data.targetWidth == 0 && !counted;
    // The first one is what people see beside the loss.
    const auto isAccuracy = [](const nn::MetricOptions& metric) { return metric.name == "accuracy"; };
    std::ranges::stable_partition(options.metrics, isAccuracy);
    options.kernelL1 = spec.model.kernelL1;
    options.kernelL2 = spec.model.kernelL2;
    if (spec.training.mixedPrecision != "none") options.policy = spec.training.mixedPrecision;
    return options;
}

nn::OptimizerOptions optimizerOptionsOf(const RunSpec& spec) {
    nn::OptimizerOptions options = spec.training.optimizer;
    options.dynamicLossScale = spec.training.mixedPrecision == nn::kMixedFloat16;
    return options;
}

std::optional<std::int64_t> namedReplicas(const RunSpec& spec) {
    std::int64_t count = 0;
    if (spec.cluster.tfConfig) {
        const auto cluster = parseCluster(*spec.cluster.tfConfig);
        if (!cluster.ok()) return std::nullopt;
        for (const char* job : {"chief", "worker"})
            if (const auto* addresses = cluster->find(job)) count += static_cast<std::int64_t>(addresses->tasks.size());
    }
    for (const HostSpec& host : spec.cluster.hosts) count += static_cast<std::int64_t>(host.devices.size());
    return count > 0 ? std::optional(count) : std::nullopt;
}

}  // namespace lockstep::spec
