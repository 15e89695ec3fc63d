#include "flow_stages.h"

#include <base/log.h>
#include <base/units.h>
#include <store/reader.h>
#include <wire/json_error.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace lockstep::control {
namespace {

using Json = nlohmann::ordered_json;

// JSON has no NaN; null says that there is no such number.
Json number(const std::optional<double>& value) { return value && std::isfinite(*value) ? Json(*value) : Json(nullptr); }

double quantile(const std::vector<double>& sorted, double q) {
    if (sorted.empty()) return 0;
    return sorted[static_cast<std::size_t>(q * static_cast<double>(sorted.size() - 1) + 0.5)];
}

// Values of a series of the whole run, or of rank 0 where only ranks have it; ascending.
std::vector<double> sortedValues(const store::Reader& reader, telemetry::Series series) {
    for (const int rank : {static_cast<int>(telemetry::kNoRank), 0}) {
        const auto points = reader.points({std::string(telemetry::nameOf(series)), rank});
        if (!points.ok() || points->empty()) continue;
        std::vector<double> values;
        for (const auto& point : *points)
            if (std::isfinite(point.value)) values.push_back(point.value);
        std::ranges::sort(values);
        return values;
    }
    return {};
}

// Rows of the run by the time its steps took: over the ranks, the sum of each one's harmonic mean of its rates.
std::optional<double> samplesPerSecond(const store::Reader& reader) {
    const auto ranks = reader.ranks();
    if (!ranks.ok()) return std::nullopt;
    std::optional<double> sum;
    for (const auto& row : *ranks) {
        const auto points = reader.points({std::string(telemetry::nameOf(telemetry::Series::SamplesPerSecond)), row.rank});
        if (!points.ok()) continue;
        double secondsPerRow = 0;
        std::size_t count = 0;
        for (const auto& point : *points) {
            if (!(point.value > 0)) continue;
            secondsPerRow += 1 / point.value;
            ++count;
        }
        if (count > 0) sum = sum.value_or(0) + static_cast<double>(count) / secondsPerRow;
    }
    return sum;
}

// Time in states that are not final: pauses between controllers do not count.
double activeSeconds(const std::vector<store::StateChange>& states) {
    double seconds = 0;
    for (std::size_t i = 0; i + 1 < states.size(); ++i)
        if (!store::isFinal(states[i].state) && states[i].state != store::RunState::Lost) seconds += states[i + 1].time - states[i].time;
    return seconds;
}

void addStored(FlowResult& result, const store::Reader& reader) {
    const auto steps = sortedValues(reader, telemetry::Series::StepSeconds);
    result.stepSeconds = {quantile(steps, 0.5), quantile(steps, 0.95)};
    result.samplesPerSecond = samplesPerSecond(reader);
    if (const auto states = reader.states(); states.ok()) result.seconds = activeSeconds(*states);
    const auto last = [&](telemetry::Series series) -> std::optional<double> {
        const auto point = reader.lastPoint({std::string(telemetry::nameOf(series)), telemetry::kNoRank});
        return point.ok() ? std::optional(point->value) : std::nullopt;
    };
    // A run that did not end well still has what it had measured.
    if (result.steps == 0) {
        const auto loss = reader.lastPoint({"loss", telemetry::kNoRank});
        if (loss.ok()) result.steps = loss->step;
    }
    if (result.epochs == 0) {
        const auto epochs = reader.points({std::string(telemetry::nameOf(telemetry::Series::EpochLoss)), telemetry::kNoRank});
        if (epochs.ok()) result.epochs = static_cast<decltype(result.epochs)>(epochs->size());
    }
    if (!result.loss) result.loss = last(telemetry::Series::EpochLoss);
    if (!result.accuracy) result.accuracy = last(telemetry::Series::EpochAccuracy);
    if (!result.valLoss) result.valLoss = last(telemetry::Series::ValLoss);
    if (!result.valAccuracy) result.valAccuracy = last(telemetry::Series::ValAccuracy);
}

}  // namespace

FlowResult conclude(const Asked& asked, Planned& planned, const Outcome& outcome) {
    FlowResult result;
    result.run = asked.folder.run();
    result.folder = asked.folder.path();
    result.state = outcome.state;
    result.error = outcome.error;
    result.exitCode = outcome.exitCode;
    result.strategy = spec::nameOf(asked.spec.strategy);
    result.ranks = static_cast<int>(planned.plan.ranks.size());
    if (outcome.done) {
        result.steps = outcome.done->steps;
        result.epochs = outcome.done->epochs;
        result.loss = outcome.done->loss;
        if (std::isfinite(outcome.done->accuracy)) result.accuracy = outcome.done->accuracy;
        result.valLoss = outcome.done->valLoss;
        result.valAccuracy = outcome.done->valAccuracy;
        result.weightsHash = outcome.done->weightsHash;
    }
    const auto keep = [&]() -> Result<void> {
        LS_TRY(planned.writer->flush());
        LS_TRY(planned.writer->setState(outcome.state, outcome.cause, outcome.actor));
        LS_TRY_ASSIGN(const auto reader, store::Reader::open(asked.folder.database()));
        addStored(result, *reader);
        LS_TRY(planned.writer->setMeta("result", toJson(result)));
        return planned.writer->flush();
    };
    if (const auto kept = keep(); !kept.ok()) log(LogLevel::Error, kept.error().toText());
    return result;
}

std::string toJson(const FlowResult& result) {
    Json json = {{"schema", 1},
                 {"run", result.run.value},
                 {"state", store::nameOf(result.state)},
                 {"strategy", result.strategy},
                 {"ranks", result.ranks},
                 {"steps", result.steps},
                 {"epochs", result.epochs},
                 {"loss", number(result.loss)},
                 {"accuracy", number(result.accuracy)},
                 {"val_loss", number(result.valLoss)},
                 {"val_accuracy", number(result.valAccuracy)},
                 {"samples_per_second", number(result.samplesPerSecond)},
                 {"step_seconds", {{"p50", result.stepSeconds.p50}, {"p95", result.stepSeconds.p95}}},
                 {"seconds", result.seconds},
                 {"folder", result.folder.string()},
                 {"weights_hash", result.weightsHash}};
    if (result.error) json["error"] = Json::parse(wire::errorToJson(*result.error));
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<std::string> storedResult(const std::filesystem::path& runFolder) {
    LS_TRY_ASSIGN(const auto reader, store::Reader::open(runFolder / "run.db"));
    LS_TRY_ASSIGN(auto text, reader->meta("result"));
    if (text.empty()) return makeError("R534", {{"run", runFolder.filename().string()}});
    return text;
}

}  // namespace lockstep::control
