#include <nn/schedule.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lockstep::nn {
namespace {

double constant(const ScheduleOptions& o, double) { return o.initialLearningRate; }

double periods(const ScheduleOptions& o, double step) {
    const double p = step / o.decaySteps;
    return o.staircase ? std::floor(p) : p;
}

double exponential(const ScheduleOptions& o, double step) { return o.initialLearningRate * std::pow(o.decayRate, periods(o, step)); }

double inverseTime(const ScheduleOptions& o, double step) { return o.initialLearningRate / (1 + o.decayRate * periods(o, step)); }

double piecewise(const ScheduleOptions& o, double step) {
    const auto place = std::lower_bound(o.boundaries.begin(), o.boundaries.end(), step);
    return o.values[static_cast<std::size_t>(place - o.boundaries.begin())];
}

double polynomial(const ScheduleOptions& o, double step) {
    double length = o.decaySteps;
    if (o.cycle)
        length *= step == 0 ? 1 : std::ceil(step / o.decaySteps);
    else
        step = std::min(step, length);
    return (o.initialLearningRate - o.endLearningRate) * std::pow(1 - step / length, o.power) + o.endLearningRate;
}

double cosineFactor(double fraction) { return 0.5 * (1 + std::cos(std::numbers::pi * fraction)); }

double cosine(const ScheduleOptions& o, double step) {
    double from = o.initialLearningRate;
    if (o.warmupTarget) {
        from = *o.warmupTarget;
        if (step < o.warmupSteps) return (from - o.initialLearningRate) * (step / o.warmupSteps) + o.initialLearningRate;
        step -= o.warmupSteps;
    }
    const double fraction = std::min(step, o.decaySteps) / o.decaySteps;
    return from * ((1 - o.alpha) * cosineFactor(fraction) + o.alpha);
}

double restarts(const ScheduleOptions& o, double step) {
    double fraction = step / o.decaySteps, round = std::floor(fraction);
    if (o.tMul == 1) {
        fraction -= round;
    } else {
        round = std::floor(std::log(1 - fraction * (1 - o.tMul)) / std::log(o.tMul));
        const double before = (1 - std::pow(o.tMul, round)) / (1 - o.tMul);
        fraction = (fraction - before) / std::pow(o.tMul, round);
    }
    return o.initialLearningRate * ((1 - o.alpha) * (std::pow(o.mMul, round) * cosineFactor(fraction)) + o.alpha);
}

struct ScheduleRow {
    std::string_view name;
    double (*rate)(const ScheduleOptions& options, double step);
};
constexpr std::array<ScheduleRow, 7> kRows{{{"constant", constant},
                                            {"cosine_decay", cosine},
                                            {"cosine_decay_restarts", restarts},
                                            {"exponential_decay", exponential},
                                            {"inverse_time_decay", inverseTime},
                                            {"piecewise_constant_decay", piecewise},
                                            {"polynomial_decay", polynomial}}};

const ScheduleRow* findSchedule(std::string_view name) {
    const auto found = std::find_if(kRows.begin(), kRows.end(), [&](const ScheduleRow& row) { return row.name == name; });
    return found == kRows.end() ? nullptr : &*found;
}

Error refused(std::string what) { return makeError("S417", {{"what", std::move(what)}}); }

Result<void> need(std::string_view key, double value, bool right, std::string_view wanted) {
    if (std::isfinite(value) && right) return {};
    return refused(fmt::format("{} is {}, but must be {}", key, value, wanted));
}

Result<void> checkPiecewise(const ScheduleOptions& o) {
    if (o.values.empty() || o.boundaries.size() + 1 != o.values.size())
        return refused(fmt::format("values has {} numbers and boundaries {}: it must have one less", o.values.size(), o.boundaries.size()));
    for (const double value : o.values) LS_TRY(need("values", value, value >= 0, "0 or more"));
    for (std::size_t i = 0; i < o.boundaries.size(); ++i)
        LS_TRY(need("boundaries", o.boundaries[i], i == 0 || o.boundaries[i] > o.boundaries[i - 1], "in rising order"));
    return {};
}

}  // namespace

std::vector<std::string> scheduleNames() {
    std::vector<std::string> names;
    for (const ScheduleRow& row : kRows) names.emplace_back(row.name);
    return names;
}

Result<void> checkSchedule(const ScheduleOptions& o) {
    if (findSchedule(o.name) == nullptr)
        return refused(fmt::format("\"{}\" is no schedule; there are {}", o.name, fmt::join(scheduleNames(), ", ")));
    if (o.name == "piecewise_constant_decay") return checkPiecewise(o);
    LS_TRY(need("initial_learning_rate", o.initialLearningRate, o.initialLearningRate >= 0, "0 or more"));
    if (o.name == "constant") return {};
    const bool restarting = o.name == "cosine_decay_restarts";
    LS_TRY(need(restarting ? "first_decay_steps" : "decay_steps", o.decaySteps, o.decaySteps > 0, "above 0"));
    LS_TRY(need("decay_rate", o.decayRate, o.decayRate >= 0, "0 or more"));
    LS_TRY(need("end_learning_rate", o.endLearningRate, o.endLearningRate >= 0, "0 or more"));
    LS_TRY(need("power", o.power, o.power >= 0, "0 or more"));
    LS_TRY(need("alpha", o.alpha, o.alpha >= 0 && o.alpha <= 1, "from 0 to 1"));
    LS_TRY(need("t_mul", o.tMul, o.tMul >= 1, "1 or more"));
    LS_TRY(need("m_mul", o.mMul, o.mMul >= 0, "0 or more"));
    LS_TRY(need("warmup_steps", o.warmupSteps, o.warmupSteps >= 0, "0 or more"));
    if (!o.warmupTarget) return {};
    return need("warmup_target", *o.warmupTarget, *o.warmupTarget >= 0, "0 or more");
}

double learningRateAt(const ScheduleOptions& options, std::uint64_t step) {
    return findSchedule(options.name)->rate(options, static_cast<double>(step));
}

}  // namespace lockstep::nn
