#include <bench/curve.h>

#include <base/file.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace lockstep::bench {
namespace {

using nlohmann::json;

constexpr std::size_t kLargestFile = 16u << 20;

// What is wrong with a file, a clause.
struct Problem {
    std::string what;
};

// A value of the file and where it stands there: "optimizer.args.learning_rate". What does not fit is thrown as a Problem.
class Entry {
public:
    Entry(const json& value, std::string path) : m_value(value), m_path(std::move(path)) {}

    Entry at(const std::string& key) const {
        if (!m_value.is_object()) wrong("an object");
        if (!m_value.contains(key)) throw Problem{m_path.empty() ? "it has no " + key : m_path + " has no " + key};
        return {m_value.at(key), m_path.empty() ? key : m_path + "." + key};
    }
    std::optional<Entry> find(const std::string& key) const { return has(key) ? std::optional(at(key)) : std::nullopt; }
    Entry eitherOf(const std::string& best, const std::string& other) const { return at(has(best) ? best : other); }

    bool isText() const { return m_value.is_string(); }
    bool isObject() const { return m_value.is_object(); }

    std::string text() const {
        if (!m_value.is_string()) wrong("a text");
        return m_value.get<std::string>();
    }
    double number() const {
        if (!m_value.is_number()) wrong("a number");
        return m_value.get<double>();
    }
    std::int64_t whole() const {
        if (!m_value.is_number_integer() || (m_value.is_number_unsigned() && m_value.get<std::uint64_t>() > kLargestWhole))
            wrong("a whole number");
        return m_value.get<std::int64_t>();
    }
    std::size_t count() const {
        if (whole() < 0) wrong("a number from 0 on");
        return static_cast<std::size_t>(whole());
    }
    bool yesOrNo() const {
        if (!m_value.is_boolean()) wrong("true or false");
        return m_value.get<bool>();
    }
    std::vector<Entry> list() const {
        if (!m_value.is_array()) wrong("a list");
        std::vector<Entry> entries;
        for (std::size_t i = 0; i < m_value.size(); ++i) entries.emplace_back(m_value.at(i), fmt::format("{}[{}]", m_path, i));
        return entries;
    }
    // Keras writes values that JSON has no word for as text: "nan".
    std::vector<double> numbers() const {
        if (!m_value.is_array()) wrong("a list");
        std::vector<double> numbers;
        for (const json& value : m_value) numbers.push_back(value.is_number() ? value.get<double>() : std::nan(""));
        return numbers;
    }

private:
    static constexpr std::uint64_t kLargestWhole = std::uint64_t{1} << 53;

    bool has(const std::string& key) const { return m_value.is_object() && m_value.contains(key); }
    [[noreturn]] void wrong(const char* expected) const { throw Problem{(m_path.empty() ? "it" : m_path) + " is not " + expected}; }

    const json& m_value;
    std::string m_path;
};

// What the recording called the optimizer, and what we do.
nn::OptimizerOptions optimizerOf(const Entry& recorded) {
    std::string name = recorded.at("class").text();
    const Entry arguments = recorded.at("args");
    for (char& letter : name) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    nn::OptimizerOptions options = nn::optimizerDefaults(name);
    options.learningRate = arguments.at("learning_rate").number();
    if (const auto momentum = arguments.find("momentum")) options.momentum = momentum->number();
    if (const auto nesterov = arguments.find("nesterov")) options.nesterov = nesterov->yesOrNo();
    if (const auto decay = arguments.find("weight_decay")) options.weightDecay = decay->number();
    if (const auto norm = arguments.find("clipnorm")) options.clipnorm = norm->number();
    if (const auto norm = arguments.find("global_clipnorm")) options.globalClipnorm = norm->number();
    return options;
}

RecordedWeight weightOf(const Entry& recorded) {
    RecordedWeight weight;
    weight.path = recorded.at("path").text();
    for (const Entry& size : recorded.at("shape").list()) weight.shape.push_back(size.whole());
    for (const Entry& place : recorded.at("at").list()) weight.at.push_back(place.count());
    weight.values = recorded.eitherOf("values_f64", "values").numbers();
    weight.length = recorded.at("l2").number();
    return weight;
}

RecordedCurve curveOf(const Entry& file) {
    RecordedCurve curve;
    curve.model = file.at("model").text();
    curve.initialWeights = file.at("initial_weights").text();
    curve.optimizer = optimizerOf(file.at("optimizer"));
    if (const auto batches = file.at("optimizer").at("args").find("gradient_accumulation_steps"))
        curve.accumulation = static_cast<int>(std::clamp<std::int64_t>(batches->whole(), 0, 1 << 20));
    if (const auto smoothing = file.at("loss").find("label_smoothing")) curve.labelSmoothing = smoothing->number();
    if (const Entry regularizer = file.at("regularizer"); regularizer.isObject()) curve.l2 = regularizer.at("l2").number();
    const Entry policy = file.at("dtype_policy");
    curve.policy = (policy.isText() ? policy : policy.at("policy")).text();
    if (const auto last = policy.find("logits_layer")) curve.outputFloat32 = last->text() == "float32";
    curve.batch = file.at("data").at("batch").whole();
    curve.losses = file.eitherOf("loss_per_step_f64", "loss_per_step").numbers();
    curve.gradientNorms = file.eitherOf("grad_global_norm_f64", "grad_global_norm").numbers();
    const Entry tolerance = file.at("tolerance");
    curve.tolerances = tolerance.at("loss_rel_per_step").numbers();
    curve.gradientNormTolerance = tolerance.at("grad_norm_rel").number();
    curve.weightsTolerance = tolerance.at("weights_rel_l2").number();
    for (const Entry& weight : file.at("final_weights").list()) curve.finalWeights.push_back(weightOf(weight));
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

// "line 3, column 7"; the parser counts bytes from 1.
std::string placeIn(std::string_view text, std::size_t byte) {
    const std::string_view before = text.substr(0, std::min(byte == 0 ? 0 : byte - 1, text.size()));
    const auto line = std::ranges::count(before, '\n') + 1;
    return fmt::format("line {}, column {}", line, before.size() - (before.rfind('\n') + 1) + 1);
}

}  // namespace

Result<RecordedCurve> readCurve(const std::filesystem::path& file) {
    LS_TRY_ASSIGN(const std::string text, readFile(file, kLargestFile));
    const auto refused = [&](std::string what) { return makeError("F637", {{"file", file.string()}, {"what", std::move(what)}}); };
    json parsed;
    try {
        parsed = json::parse(text);
    } catch (const json::parse_error& error) {
        return refused("it is not JSON from " + placeIn(text, error.byte) + " on");
    }
    try {
        RecordedCurve curve = curveOf({parsed, ""});
        if (std::string problem = problemOf(curve); !problem.empty()) return refused(std::move(problem));
        return curve;
    } catch (const Problem& problem) {
        return refused(problem.what);
    }
}

}  // namespace lockstep::bench
