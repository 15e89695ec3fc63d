#include "rule_book.h"

#include <base/units.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>

namespace lockstep::train {
namespace {

constexpr int kBestKept = 2;

// Keras' start: nothing is worse.
double bestOf(double remembered, Goal goal) {
    if (!std::isnan(remembered)) return remembered;
    return goal == Goal::Less ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
}

bool isBetter(double value, double than, Goal goal, double byMoreThan = 0) {
    return goal == Goal::Less ? value < than - byMoreThan : value > than + byMoreThan;
}

std::optional<double> find(const std::vector<std::pair<std::string, double>>& values, const std::string& name) {
    const auto found = std::ranges::find(values, name, &std::pair<std::string, double>::first);
    return found == values.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

bool operator==(const RuleState& a, const RuleState& b) {
    const auto same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
    return same(a.stopBest, b.stopBest) && same(a.plateauBest, b.plateauBest) && same(a.checkpointBest, b.checkpointBest) &&
           same(a.learningRate, b.learningRate) && a.stopWait == b.stopWait && a.plateauWait == b.plateauWait &&
           a.plateauCooldown == b.plateauCooldown && a.bestEpoch == b.bestEpoch;
}

RuleBook::RuleBook(const RankOptions& options, StepProgram& step, CheckpointDuty& checkpoints, const RankHooks& hooks)
    : m_options(options), m_rules(options.rules), m_step(step), m_checkpoints(checkpoints), m_hooks(hooks) {
    for (const nn::MetricOptions& metric : options.model.metrics) m_metrics.push_back(metric.name);
    if (m_metrics.empty()) m_metrics.emplace_back("accuracy");
}

void RuleBook::warn(Error error, const char* doing) const {
    if (m_hooks.warning) m_hooks.warning(withContext(std::move(error), doing));
}

Result<void> RuleBook::check(bool validates) const {
    EpochResult result{0, 0, 0.0, 0.0, std::vector<double>(m_metrics.size() - 1), std::vector<double>(m_metrics.size() - 1)};
    if (!validates) {
        result.valLoss.reset();
        result.valAccuracy.reset();
    }
    const Values values = valuesOf(result);
    std::string names;
    for (const auto& value : values) names += (names.empty() ? "" : ", ") + value.first;
    const auto need = [&](const char* where, const std::string& monitor) -> Result<void> {
        if (find(values, monitor)) return {};
        return makeError("S307", {{"where", where},
                                  {"what", "it watches " + monitor + ", and this run measures " + names},
                                  {"next", "Watch one of these, or give it validation data (data.validation_split)."}});
    };
    if (m_rules.earlyStopping) LS_TRY(need("training.callbacks, early_stopping", m_rules.earlyStopping->monitor));
    if (m_rules.reduceOnPlateau) LS_TRY(need("training.callbacks, reduce_lr_on_plateau", m_rules.reduceOnPlateau->monitor));
    if (m_rules.bestCheckpoint) LS_TRY(need("training.callbacks, model_checkpoint", m_rules.bestCheckpoint->monitor));
    if (m_rules.target) LS_TRY(need("stop.target", m_rules.target->monitor));
    return {};
}

void RuleBook::prepare() {
    if (m_options.rank != 0) return;
    if (m_rules.bestCheckpoint) {
        m_best.emplace(m_rules.bestCheckpoint->folder, kBestKept);
        if (auto made = m_best->prepare(); !made.ok()) warn(std::move(made).error(), "preparing the folder of the best checkpoint");
    }
    if (!m_rules.csvLog) return;
    // A run that goes on writes behind what is there.
    std::ofstream file(m_rules.csvLog->file, m_options.resume ? std::ios::app : std::ios::trunc);
    m_logs = file.good();
    if (!m_logs)
        warn(makeError("F604", {{"file", m_rules.csvLog->file.string()}, {"reason", std::strerror(errno)}}), "opening the CSV log");
}

RuleBook::Values RuleBook::valuesOf(const EpochResult& result) const {
    Values values = {{"loss", result.loss}};
    for (std::size_t i = 0; i < m_metrics.size(); ++i) values.emplace_back(m_metrics[i], i == 0 ? result.accuracy : result.metrics[i - 1]);
    if (result.valLoss) {
        values.emplace_back("val_loss", *result.valLoss);
        for (std::size_t i = 0; i < m_metrics.size(); ++i)
            values.emplace_back("val_" + m_metrics[i], i == 0 ? result.valAccuracy.value_or(0) : result.valMetrics[i - 1]);
    }
    std::ranges::sort(values);
    return values;
}

void RuleBook::afterEpoch(int epoch, double rate, Progress& progress) {
    const Values values = valuesOf(*progress.last);
    if (m_logs) writeLine(epoch, rate, values);
    if (m_rules.reduceOnPlateau) watchPlateau(rate, values, progress.rules);
    if (m_rules.earlyStopping) watchStopping(epoch, values, progress.rules);
    if (m_rules.bestCheckpoint) watchBest(values, progress);
    if (const auto& target = m_rules.target) {
        const double value = find(values, target->monitor).value_or(std::nan(""));
        if (target->goal == Goal::Greater ? value >= target->value : value <= target->value) m_endedBy = "stop.target";
    }
}

std::optional<double> RuleBook::rateOf(int epoch, const RuleState& state) const {
    if (const auto& rates = m_rules.rates) {
        const int times = std::max(epoch - rates->startFromEpoch, 0) / rates->epochs;
        return m_options.optimizer.learningRate * std::pow(rates->factor, times);
    }
    return std::isnan(state.learningRate) ? std::nullopt : std::optional(state.learningRate);
}

void RuleBook::writeLine(int epoch, double rate, const Values& values) {
    const CsvLog& log = *m_rules.csvLog;
    std::error_code ignored;
    const bool empty = std::filesystem::file_size(log.file, ignored) == 0;
    std::ofstream file(log.file, std::ios::app);
    // Keras' callbacks that set the rate put it among the values.
    const bool tellsRate = m_rules.reduceOnPlateau || m_rules.rates;
    Values all = values;
    if (tellsRate) all.emplace_back("learning_rate", rate);
    std::ranges::sort(all);
    if (empty) {
        file << "epoch";
        for (const auto& value : all) file << log.separator << value.first;
        file << '\n';
    }
    file << epoch;
    for (const auto& value : all) file << log.separator << formatDouble(value.second);
    file << '\n';
    file.flush();
    if (file.good()) return;
    m_logs = false;
    warn(makeError("F604", {{"file", log.file.string()}, {"reason", std::strerror(errno)}}), "writing the CSV log");
}

void RuleBook::watchStopping(int epoch, const Values& values, RuleState& state) {
    const EarlyStopping& rule = *m_rules.earlyStopping;
    if (epoch < rule.startFromEpoch) return;
    const double value = find(values, rule.monitor).value_or(std::nan(""));
    const auto keep = [&] {
        if (!rule.restoreBestWeights) return;
        readBest(m_step);
        state.bestEpoch = epoch;
    };
    if (state.bestEpoch < 0) keep();  // those of the first epoch are better than none
    ++state.stopWait;
    if (isBetter(value, bestOf(state.stopBest, rule.goal), rule.goal, rule.minDelta)) {
        state.stopBest = value;
        keep();
        if (!rule.baseline || isBetter(value, *rule.baseline, rule.goal, rule.minDelta)) state.stopWait = 0;
        return;
    }
    if (state.stopWait >= rule.patience && epoch > 0) m_endedBy = "early_stopping";
}

void RuleBook::restoreBest(const RuleState& state) {
    if (state.bestEpoch >= 0) writeBest(m_step);
}

void RuleBook::watchPlateau(double rate, const Values& values, RuleState& state) {
    const ReduceOnPlateau& rule = *m_rules.reduceOnPlateau;
    const double value = find(values, rule.monitor).value_or(std::nan(""));
    if (state.plateauCooldown > 0) {
        --state.plateauCooldown;
        state.plateauWait = 0;
    }
    if (isBetter(value, bestOf(state.plateauBest, rule.goal), rule.goal, rule.minDelta)) {
        state.plateauBest = value;
        state.plateauWait = 0;
        return;
    }
    if (state.plateauCooldown > 0) return;
    if (++state.plateauWait < rule.patience || rate <= rule.minLearningRate) return;
    state.learningRate = std::max(rate * rule.factor, rule.minLearningRate);
    state.plateauCooldown = rule.cooldown;
    state.plateauWait = 0;
}

void RuleBook::watchBest(const Values& values, Progress& progress) {
    const BestCheckpoint& rule = *m_rules.bestCheckpoint;
    const double value = find(values, rule.monitor).value_or(std::nan(""));
    double best = bestOf(progress.rules.checkpointBest, rule.goal);
    if (std::isnan(progress.rules.checkpointBest) && rule.threshold) best = *rule.threshold;
    if (!isBetter(value, best, rule.goal)) return;
    progress.rules.checkpointBest = value;
    if (!m_best) return;
    Checkpoint checkpoint;
    checkpoint.tensors = stateTensors(m_step);
    m_checkpoints.fill(checkpoint, progress);
    if (auto saved = m_best->save(checkpoint); !saved.ok()) warn(std::move(saved).error(), "writing the best checkpoint");
}

}  // namespace lockstep::train
