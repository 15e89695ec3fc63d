#include "flow_result.h"

#include "profile.h"
#include "run_text.h"

#include <base/units.h>

#include <cstdio>

namespace lockstep::cli {
namespace {

std::string lossLine(const char* lossName, std::optional<double> loss, const char* accuracyName, std::optional<double> accuracy) {
    return std::string("  ") + lossName + " " + numberText(loss) + "   " + accuracyName + " " + numberText(accuracy);
}

// "1 rank", "2 ranks"
template <class Count>
std::string counted(Count count, const char* what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string headLine(const Output& output, const control::FlowResult& result) {
    const auto state = api::findRunState(store::nameOf(result.state)).value_or(api::RunState::Lost);
    return "Run " + result.run.value + " " + stateText(output, state) + ": " + counted(result.epochs, "epoch") + ", " +
           counted(result.steps, "step") + " in " + formatDuration(Seconds(result.seconds)) + " on " + counted(result.ranks, "rank") +
           " (" + result.strategy + ")";
}

void printText(Output& output, const control::FlowResult& result) {
    output.line(headLine(output, result));
    if (result.loss || result.accuracy) output.line(lossLine("loss", result.loss, "accuracy", result.accuracy));
    if (result.valLoss || result.valAccuracy) output.line(lossLine("val_loss", result.valLoss, "val_accuracy", result.valAccuracy));
    if (result.samplesPerSecond) {
        char rate[64];
        std::snprintf(rate, sizeof rate, "  %.0f samples/s   ", *result.samplesPerSecond);
        output.line(rate + std::string("step p50 ") + formatDuration(Seconds(result.stepSeconds.p50)) + ", p95 " +
                    formatDuration(Seconds(result.stepSeconds.p95)));
    }
    if (!result.weightsHash.empty()) output.line("  weights " + result.weightsHash);
    // R542: somebody took it away.
    std::error_code status;
    if (std::filesystem::exists(result.folder, status)) output.line("  kept in " + result.folder.string());
    printProfile(output, readProfiles(result.folder));
    if (result.error) output.error(*result.error);
    if (result.state == store::RunState::Stopped) output.note("Go on with: lockstep resume " + result.run.value);
}

}  // namespace

void printResult(Output& output, const control::FlowResult& result) {
    if (!output.isJson()) {
        printText(output, result);
        return;
    }
    auto object = Json::parse(control::toJson(result), nullptr, false);
    // The same words for an error as everywhere else on the command line.
    if (result.error) object["error"] = errorObject(*result.error);
    if (Json profiles = readProfiles(result.folder); !profiles.empty()) object["profile"] = std::move(profiles);
    output.json(object);
}

}  // namespace lockstep::cli
