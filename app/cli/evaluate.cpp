// `lockstep evaluate`: loss and metrics of a run's weights, as Keras' model.evaluate; and the child process that computes them.
#include "commands.h"
#include "run_text.h"
#include "trained_command.h"

#include <base/units.h>
#include <control/data_facts.h>
#include <data/dataset.h>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace lockstep::cli {
namespace {

class Evaluate : public Command {
public:
    void declare(CLI::App& parser) override {
        m_trained.declare(parser);
        parser.add_option("data.key=value", m_data, "Other rows: keys of the specification's data, e.g. data.path=more data.dataset=npy")
            ->type_name("");
        parser.add_option("--split", m_split, "validation (default; all rows of data without it) or training")
            ->check(CLI::IsMember({"validation", "training"}))
            ->type_name("PART");
    }

    Result<int> run(Context& context) override {
        for (const std::string& word : m_data)
            if (!word.starts_with("data.") || word.find('=') == std::string::npos)
                return makeError("X002", {{"what", "\"" + word + "\" is no data.key=value"}, {"help", "lockstep evaluate --help"}});
        LS_TRY_ASSIGN(TrainedRequest request, m_trained.request(context));
        request.data = m_data;
        Json json = toJson(request);
        json["split"] = m_split;
        LS_TRY_ASSIGN(const ChildEnd end, runInChild(context.output, {"evaluate", "evaluate", std::move(json), request.threads}));
        if (end.interrupted) return *end.interrupted;
        Json object{{"schema", 1}};
        object.update(end.result);
        context.output.json(object);
        if (!context.output.isJson()) print(context.output, object);
        return 0;
    }

private:
    static void print(Output& output, const Json& result) {
        const Json& data = result["data"];
        output.line(headOf(output, result) + fmt::format(": {} {} rows of {}", data["rows"].get<std::int64_t>(),
                                                         data["split"].get<std::string>(), data["dataset"].get<std::string>()));
        std::string line = fmt::format("  loss {:.6g}", result["loss"].get<double>());
        for (const auto& [name, value] : result["metrics"].items())
            line += "   " + name + " " + (value.is_number() ? fmt::format("{:.6g}", value.get<double>()) : std::string("-"));
        output.line(line);
        output.detail(fmt::format("{:.0f} rows/s", result["rows_per_second"].get<double>()));
    }

    TrainedArguments m_trained;
    std::vector<std::string> m_data;
    std::string m_split = "validation";
};

// The run's specification with other data. The run's own split says nothing of other rows.
Result<spec::RunSpec> specOfRows(const TrainedRun& run) {
    if (run.request.data.empty()) return run.spec;
    spec::RunSpec spec = run.spec;
    LS_TRY_ASSIGN(const spec::RunSpec other, spec::loadRunSpec(run.request.run / "spec.yaml", run.request.data));
    spec.data = other.data;
    const auto givesSplit = [](const std::string& word) { return word.starts_with("data.validation_split="); };
    if (std::ranges::none_of(run.request.data, givesSplit)) spec.data.validationSplit = 0;
    control::anchorData(spec, run.request.dataFolder / "spec.yaml");
    return spec;
}

struct Rows {
    data::Split split;
    std::string part;
};

Result<Rows> loadRows(const TrainedRun& run, const spec::RunSpec& spec, const std::string& wanted) {
    data::LoadOptions load = control::loadOptions(spec, control::dataFolder(spec));
    if (run.facts.classes > 0) load.classes = run.facts.classes;
    LS_TRY_ASSIGN(data::Dataset dataset, data::loadDataset(load));
    if (wanted == "training") return Rows{std::move(dataset.train), wanted};
    if (dataset.validation.rows > 0) return Rows{std::move(dataset.validation), wanted};
    if (!run.request.data.empty()) return Rows{std::move(dataset.train), "all"};
    return makeError("F647", {{"dataset", spec.data.dataset}});
}

}  // namespace

std::unique_ptr<Command> makeEvaluate() { return std::make_unique<Evaluate>(); }

Result<Json> evaluateTask(const Json& request, WorkChannel& channel) {
    channel.progress({"loading", 0, 0, "", ""});
    LS_TRY_ASSIGN(TrainedRun run, openTrainedRun(request));
    LS_TRY_ASSIGN(const spec::RunSpec spec, specOfRows(run));
    LS_TRY_ASSIGN(const Rows rows, loadRows(run, spec, request.at("split").get<std::string>()));
    run.options.normalise = control::normalisationOf(spec);
    LS_TRY_ASSIGN(train::Inference inference, run.inference(rows.split.rows));
    const auto begin = std::chrono::steady_clock::now();
    LS_TRY_ASSIGN(const train::Evaluated found, inference.evaluate(rows.split, [&](std::int64_t done, std::int64_t all) {
        channel.progress({"", static_cast<std::uint64_t>(done), static_cast<std::uint64_t>(all), "", "rows/s"});
    }));
    const double seconds = Seconds(std::chrono::steady_clock::now() - begin).count();
    if (!std::isfinite(found.loss))
        return makeError("R571", {{"what", "loss"},
                                  {"where", " but " + formatDouble(found.loss)},
                                  {"why", "The weights of this checkpoint have diverged, or rows hold values that are no numbers."}});
    Json result = run.toJson();
    result["data"] = {{"dataset", spec.data.dataset},
                      {"path", spec.data.path ? Json(spec.data.path->string()) : Json(nullptr)},
                      {"split", rows.part},
                      {"rows", found.rows}};
    result["loss"] = found.loss;
    result["metrics"] = Json::object();
    for (const auto& [name, value] : found.metrics) result["metrics"][name] = jsonNumber(value);
    result["seconds"] = seconds;
    result["rows_per_second"] = static_cast<double>(found.rows) / std::max(seconds, 1e-9);
    return result;
}

}  // namespace lockstep::cli
