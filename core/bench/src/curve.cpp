#include <bench/curve.h>

#include <base/file.h>

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace lockstep::bench {
namespace {

using nlohmann::json;

constexpr std::size_t kLargestFile = 16u << 20;

// What the recording called the optimizer, and what we do.
nn::OptimizerOptions optimizerOf(const json& recorded) {
    const std::string keras = recorded.at("class");
    const json& arguments = recorded.at("args");
    std::string name = keras;
    for (char& letter : name) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    nn::OptimizerOptions options = nn::optimizerDefaults(name);
    options.learningRate = arguments.at("learning_rate");
    options.momentum = arguments.value("momentum", options.momentum);
    options.nesterov = arguments.value("nesterov", options.nesterov);
    if (arguments.contains("weight_decay")) options.weightDecay = arguments.at("weight_decay").get<double>();
    if (arguments.contains("clipnorm")) options.clipnorm = arguments.at("clipnorm").get<double>();
    if (arguments.contains("global_clipnorm")) options.globalClipnorm = arguments.at("global_clipnorm").get<double>();
    return options;
}

// Keras writes values that JSON has no word for as text: "nan".
std::vector<double> numbersOf(const json& list) {
    std::vector<double> numbers;
    for (const json& value : list) numbers.push_back(value.is_number() ? value.get<double>() : std::nan(""));
    return numbers;
}

const json& eitherOf(const json& file, const char* best, const char* other) { return file.contains(best) ? file.at(best) : file.at(other); }

std::string policyOf(const json& policy) { return policy.is_string() ? policy.get<std::string>() : policy.at("policy").get<std::string>(); }

RecordedCurve curveOf(const json& file) {
    RecordedCurve curve;
    curve.model = file.at("model");
    curve.initialWeights = file.at("initial_weights");
    curve.optimizer = optimizerOf(file.at("optimizer"));
    curve.accumulation = file.at("optimizer").at("args").value("gradient_accumulation_steps", 1);
    curve.labelSmoothing = file.at("loss").value("label_smoothing", 0.0);
    if (file.at("regularizer").is_object()) curve.l2 = file.at("regularizer").at("l2");
    curve.policy = policyOf(file.at("dtype_policy"));
    if (file.at("dtype_policy").is_object()) curve.outputFloat32 = file.at("dtype_policy").value("logits_layer", "") == "float32";
    curve.batch = file.at("data").at("batch");
    curve.losses = numbersOf(eitherOf(file, "loss_per_step_f64", "loss_per_step"));
    curve.gradientNorms = numbersOf(eitherOf(file, "grad_global_norm_f64", "grad_global_norm"));
    curve.tolerances = numbersOf(file.at("tolerance").at("loss_rel_per_step"));
    curve.gradientNormTolerance = file.at("tolerance").at("grad_norm_rel");
    curve.weightsTolerance = file.at("tolerance").at("weights_rel_l2");
    for (const json& weight : file.at("final_weights"))
        curve.finalWeights.push_back({weight.at("path"), weight.at("shape").get<std::vector<std::int64_t>>(),
                                      weight.at("at").get<std::vector<std::size_t>>(), numbersOf(eitherOf(weight, "values_f64", "values")),
                                      weight.at("l2")});
    return curve;
}

// What the values must be for the curve to be run at all; empty when they are.
std::string problemOf(const RecordedCurve& curve) {
    if (curve.losses.empty()) return "it has no losses";
    // Nothing but a file beside it: a curve must not name files elsewhere.
    if (curve.initialWeights.empty() || curve.initialWeights != std::filesystem::path(curve.initialWeights).filename())
        return "initial_weights is no plain name of a file";
    if (curve.losses.size() != curve.tolerances.size() || curve.losses.size() != curve.gradientNorms.size())
        return "losses, gradient norms and tolerances are of different lengths";
    if (curve.batch < 1 || curve.batch > 65536) return "data.batch is out of range";
    if (curve.losses.size() > 100000) return "it is longer than 100000 steps";
    if (curve.accumulation < 1 || curve.losses.size() % static_cast<std::size_t>(curve.accumulation) != 0)
        return "gradient_accumulation_steps does not divide the steps";
    return {};
}

}  // namespace

Result<RecordedCurve> readCurve(const std::filesystem::path& file) {
    LS_TRY_ASSIGN(const std::string text, readFile(file, kLargestFile));
    const auto refused = [&](std::string what) { return makeError("F637", {{"file", file.string()}, {"what", std::move(what)}}); };
    try {
        RecordedCurve curve = curveOf(json::parse(text));
        if (std::string problem = problemOf(curve); !problem.empty()) return refused(std::move(problem));
        return curve;
    } catch (const json::exception& error) {
        return refused(error.what());
    }
}

}  // namespace lockstep::bench
