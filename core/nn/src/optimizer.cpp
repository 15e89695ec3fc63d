#include <nn/optimizer.h>

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lockstep::nn {

using graph::Attributes;
using graph::Graph;
using graph::OpKind;
using graph::TensorType;
using graph::Value;

namespace {

// As Keras computes with it, in float64 too.
double asFloat(double value) { return static_cast<double>(static_cast<float>(value)); }

Error refused(std::string what) { return makeError("S411", {{"what", std::move(what)}}); }

Result<void> needRange(std::string_view name, double value, bool inRange, std::string_view range) {
    if (std::isfinite(value) && inRange) return {};
    return refused(fmt::format("{} is {}, but must be {}", name, value, range));
}

Result<void> needAboveZero(std::string_view name, const std::optional<double>& value) {
    if (!value) return {};
    return needRange(name, *value, *value > 0, "above 0");
}

// The graph while updates are appended to it.
class Updates {
public:
    Updates(Graph& graph, const OptimizerOptions& options, graph::DType dtype) : m_graph(graph), m_options(options), m_dtype(dtype) {}

    const OptimizerOptions& options() const { return m_options; }
    Result<Value> scalar(const std::string& name) {
        if (const auto found = m_graph.find(name)) return Value{*found, 0};
        return m_graph.input(name, {m_dtype, {}});
    }
    Result<Value> slot(Value weight, std::string_view kind) {
        return m_graph.state(fmt::format("{}/{}", nameOf(weight), kind), TensorType(m_graph.type(weight)), "slot");
    }
    Result<void> update(OpKind op, std::vector<Value> inputs, Attributes attributes) {
        if (m_options.weightDecay.value_or(0) != 0) attributes.emplace("weight_decay", asFloat(*m_options.weightDecay));
        const std::string name = nameOf(inputs.front()) + "/update";
        LS_TRY(m_graph.append(op, name, std::move(inputs), std::move(attributes)));
        return {};
    }

private:
    const std::string& nameOf(Value value) const { return m_graph.node(value.node).name; }

    Graph& m_graph;
    const OptimizerOptions& m_options;
    graph::DType m_dtype;
};

Result<void> updateSgd(Updates& updates, const WeightGradient& pair) {
    const OptimizerOptions& o = updates.options();
    LS_TRY_ASSIGN(const Value rate, updates.scalar("learning_rate"));
    std::vector<Value> inputs = {pair.weight, pair.gradient, rate};
    if (o.momentum != 0) {
        LS_TRY_ASSIGN(const Value momentum, updates.slot(pair.weight, "momentum"));
        inputs.push_back(momentum);
    }
    return updates.update(OpKind::SgdUpdate, std::move(inputs),
                          {{"momentum", asFloat(o.momentum)}, {"nesterov", std::int64_t{o.nesterov && o.momentum != 0 ? 1 : 0}}});
}

Attributes betasOf(const OptimizerOptions& o) { return {{"beta_1", o.beta1}, {"beta_2", o.beta2}, {"epsilon", o.epsilon}}; }

Result<std::vector<Value>> momentsOf(Updates& updates, const WeightGradient& pair) {
    LS_TRY_ASSIGN(const Value rate, updates.scalar("learning_rate"));
    LS_TRY_ASSIGN(const Value step, updates.scalar("step"));
    LS_TRY_ASSIGN(const Value m, updates.slot(pair.weight, "m"));
    LS_TRY_ASSIGN(const Value v, updates.slot(pair.weight, "v"));
    return std::vector<Value>{pair.weight, pair.gradient, rate, step, m, v};
}

Result<void> updateAdam(Updates& updates, const WeightGradient& pair) {
    LS_TRY_ASSIGN(std::vector<Value> inputs, momentsOf(updates, pair));
    if (updates.options().amsgrad) {
        LS_TRY_ASSIGN(const Value largest, updates.slot(pair.weight, "vhat"));
        inputs.push_back(largest);
    }
    return updates.update(OpKind::AdamUpdate, std::move(inputs), betasOf(updates.options()));
}

Result<void> updateLamb(Updates& updates, const WeightGradient& pair) {
    LS_TRY_ASSIGN(std::vector<Value> inputs, momentsOf(updates, pair));
    return updates.update(OpKind::LambUpdate, std::move(inputs), betasOf(updates.options()));
}

Result<void> updateLion(Updates& updates, const WeightGradient& pair) {
    const OptimizerOptions& o = updates.options();
    LS_TRY_ASSIGN(const Value rate, updates.scalar("learning_rate"));
    LS_TRY_ASSIGN(const Value m, updates.slot(pair.weight, "m"));
    return updates.update(OpKind::LionUpdate, {pair.weight, pair.gradient, rate, m}, {{"beta_1", o.beta1}, {"beta_2", o.beta2}});
}

Result<void> updateAdagrad(Updates& updates, const WeightGradient& pair) {
    LS_TRY_ASSIGN(const Value rate, updates.scalar("learning_rate"));
    LS_TRY_ASSIGN(const Value sum, updates.slot(pair.weight, "accumulator"));
    return updates.update(OpKind::AdagradUpdate, {pair.weight, pair.gradient, rate, sum}, {{"epsilon", updates.options().epsilon}});
}

Result<void> updateRmsprop(Updates& updates, const WeightGradient& pair) {
    const OptimizerOptions& o = updates.options();
    LS_TRY_ASSIGN(const Value rate, updates.scalar("learning_rate"));
    LS_TRY_ASSIGN(const Value velocity, updates.slot(pair.weight, "velocity"));
    std::vector<Value> inputs = {pair.weight, pair.gradient, rate, velocity};
    if (o.momentum != 0) {
        LS_TRY_ASSIGN(const Value momentum, updates.slot(pair.weight, "momentum"));
        inputs.push_back(momentum);
    }
    if (o.centered) {
        LS_TRY_ASSIGN(const Value average, updates.slot(pair.weight, "average"));
        inputs.push_back(average);
    }
    return updates.update(
        OpKind::RmsPropUpdate, std::move(inputs),
        {{"rho", o.rho}, {"epsilon", o.epsilon}, {"momentum", o.momentum}, {"centered", std::int64_t{o.centered ? 1 : 0}}});
}

struct OptimizerRow {
    std::string_view name;
    Result<void> (*update)(Updates& updates, const WeightGradient& pair);
};
constexpr std::array<OptimizerRow, 7> kRows{{{"sgd", updateSgd},
                                             {"adam", updateAdam},
                                             {"adamw", updateAdam},
                                             {"rmsprop", updateRmsprop},
                                             {"adagrad", updateAdagrad},
                                             {"lion", updateLion},
                                             {"lamb", updateLamb}}};

const OptimizerRow* findOptimizer(std::string_view name) {
    const auto found = std::find_if(kRows.begin(), kRows.end(), [&](const OptimizerRow& row) { return row.name == name; });
    return found == kRows.end() ? nullptr : &*found;
}

// Unscaled and clipped, as Keras does before it updates anything.
class Clipper {
public:
    Clipper(Graph& graph, const OptimizerOptions& options) : m_graph(graph), m_options(options) {}

    Result<void> run(std::vector<WeightGradient>& pairs) {
        if (m_options.lossScaleFactor) LS_TRY(replaceAll(pairs, OpKind::Scale, "unscaled", {{"factor", 1.0 / *m_options.lossScaleFactor}}));
        if (m_options.clipvalue) return replaceAll(pairs, OpKind::ClipValue, "clipped", {{"limit", *m_options.clipvalue}});
        if (m_options.globalClipnorm) return clipTogether(pairs);
        if (m_options.clipnorm) return clipEach(pairs);
        return {};
    }

private:
    std::string nameOf(const WeightGradient& pair, std::string_view what) const {
        return fmt::format("{}/gradient_{}", m_graph.node(pair.weight.node).name, what);
    }

    Result<void> replaceAll(std::vector<WeightGradient>& pairs, OpKind op, std::string_view what, const Attributes& attributes) {
        for (WeightGradient& pair : pairs) {
            LS_TRY_ASSIGN(const auto id, m_graph.append(op, nameOf(pair, what), {pair.gradient}, attributes));
            pair.gradient = {id, 0};
        }
        return {};
    }

    Result<Value> normOf(std::string name, std::vector<Value> gradients) {
        LS_TRY_ASSIGN(const auto squares, m_graph.append(OpKind::SquareSum, name + "/square_sum", std::move(gradients)));
        LS_TRY_ASSIGN(const auto norm, m_graph.append(OpKind::Sqrt, std::move(name), {{squares, 0}}));
        return Value{norm, 0};
    }

    Result<void> clip(WeightGradient& pair, Value norm, double limit) {
        LS_TRY_ASSIGN(const auto id,
                      m_graph.append(OpKind::ClipByNorm, nameOf(pair, "clipped"), {pair.gradient, norm}, {{"limit", limit}}));
        pair.gradient = {id, 0};
        return {};
    }

    Result<void> clipEach(std::vector<WeightGradient>& pairs) {
        for (WeightGradient& pair : pairs) {
            LS_TRY_ASSIGN(const Value norm, normOf(nameOf(pair, "norm"), {pair.gradient}));
            LS_TRY(clip(pair, norm, *m_options.clipnorm));
        }
        return {};
    }

    Result<void> clipTogether(std::vector<WeightGradient>& pairs) {
        std::vector<Value> all;
        for (const WeightGradient& pair : pairs) all.push_back(pair.gradient);
        LS_TRY_ASSIGN(const Value norm, normOf("global_norm", std::move(all)));
        for (WeightGradient& pair : pairs) LS_TRY(clip(pair, norm, *m_options.globalClipnorm));
        return {};
    }

    Graph& m_graph;
    const OptimizerOptions& m_options;
};

Result<void> checkRanges(const OptimizerOptions& o) {
    LS_TRY(needRange("learning_rate", o.learningRate, o.learningRate >= 0, "0 or more"));
    LS_TRY(needRange("momentum", o.momentum, o.momentum >= 0 && o.momentum <= 1, "from 0 to 1"));
    LS_TRY(needRange("beta_1", o.beta1, o.beta1 >= 0 && o.beta1 < 1, "at least 0 and below 1"));
    LS_TRY(needRange("beta_2", o.beta2, o.beta2 >= 0 && o.beta2 < 1, "at least 0 and below 1"));
    LS_TRY(needRange("rho", o.rho, o.rho >= 0 && o.rho <= 1, "from 0 to 1"));
    LS_TRY(needRange("epsilon", o.epsilon, o.epsilon > 0, "above 0"));
    LS_TRY(needRange("initial_accumulator_value", o.initialAccumulator, o.initialAccumulator >= 0, "0 or more"));
    LS_TRY(needRange("ema_momentum", o.emaMomentum, o.emaMomentum >= 0 && o.emaMomentum <= 1, "from 0 to 1"));
    const double decay = o.weightDecay.value_or(0);
    LS_TRY(needRange("weight_decay", decay, decay >= 0, "0 or more"));
    LS_TRY(needRange("initial_scale", o.initialLossScale, o.initialLossScale > 0, "above 0"));
    LS_TRY(needRange("dynamic_growth_steps", static_cast<double>(o.lossScaleGrowthSteps), o.lossScaleGrowthSteps >= 1, "1 or more"));
    LS_TRY(needAboveZero("clipnorm", o.clipnorm));
    LS_TRY(needAboveZero("clipvalue", o.clipvalue));
    LS_TRY(needAboveZero("global_clipnorm", o.globalClipnorm));
    return needAboveZero("loss_scale_factor", o.lossScaleFactor);
}

}  // namespace

std::vector<std::string> optimizerNames() {
    std::vector<std::string> names;
    for (const OptimizerRow& row : kRows) names.emplace_back(row.name);
    return names;
}

OptimizerOptions optimizerDefaults(std::string_view name) {
    OptimizerOptions options;
    if (findOptimizer(name) != nullptr) options.name = name;
    if (name == "sgd") options.learningRate = 0.01;
    if (name == "lion") options.beta2 = 0.99;
    if (name == "adamw") options.weightDecay = 0.004;
    return options;
}

std::span<const OptimizerKey> optimizerKeys() {
    static const std::vector<OptimizerKey> keys = {
        {"momentum", {"sgd", "rmsprop"}},
        {"nesterov", {"sgd"}},
        {"beta_1", {"adam", "adamw", "lion", "lamb"}},
        {"beta_2", {"adam", "adamw", "lion", "lamb"}},
        {"epsilon", {"adam", "adamw", "rmsprop", "adagrad", "lamb"}},
        {"rho", {"rmsprop"}},
        {"centered", {"rmsprop"}},
        {"initial_accumulator_value", {"adagrad"}},
        {"amsgrad", {"adam", "adamw"}},
    };
    return keys;
}

Result<void> checkOptimizer(const OptimizerOptions& o) {
    if (findOptimizer(o.name) == nullptr) {
        return refused(fmt::format("\"{}\" is no optimizer that Lockstep knows; it has {}", o.name, fmt::join(optimizerNames(), ", ")));
    }
    LS_TRY(checkRanges(o));
    if (o.clipnorm.has_value() + o.clipvalue.has_value() + o.globalClipnorm.has_value() > 1)
        return refused("only one of clipnorm, clipvalue and global_clipnorm can be set");
    if (o.emaOverwriteFrequency == 0) return refused("ema_overwrite_frequency is 0, but must be 1 or more");
    return checkSchedule(scheduleOf(o));
}

ScheduleOptions scheduleOf(const OptimizerOptions& options) {
    ScheduleOptions schedule = options.schedule;
    schedule.initialLearningRate = options.learningRate;
    return schedule;
}

Result<void> appendClipping(Graph& graph, const OptimizerOptions& options, std::vector<WeightGradient>& gradients) {
    LS_TRY(checkOptimizer(options));
    return Clipper(graph, options).run(gradients);
}

OptimizerOptions withoutClipping(OptimizerOptions options) {
    options.clipnorm.reset();
    options.clipvalue.reset();
    options.globalClipnorm.reset();
    options.lossScaleFactor.reset();
    return options;
}

Result<void> appendUpdates(Graph& graph, const OptimizerOptions& options, const std::vector<WeightGradient>& gradients) {
    LS_TRY(checkOptimizer(options));
    if (gradients.empty()) return refused("the model has no weight to train");
    std::vector<WeightGradient> pairs = gradients;
    LS_TRY(Clipper(graph, options).run(pairs));
    Updates updates(graph, options, graph.type(pairs.front().weight).dtype);
    const OptimizerRow& row = *findOptimizer(options.name);
    for (const WeightGradient& pair : pairs) LS_TRY(row.update(updates, pair));
    return {};
}

double slotStart(const OptimizerOptions& options, std::string_view slot) {
    if (slot == kLossScale) return asFloat(options.initialLossScale);
    // Gradient accumulation has slots that end like this, too; they are overwritten first.
    return options.name == "adagrad" && slot.ends_with("/accumulator") ? asFloat(options.initialAccumulator) : 0;
}

}  // namespace lockstep::nn
