// `lockstep predict`: what a run's weights say of new rows; and the child process that computes it.
#include "commands.h"
#include "predict_input.h"
#include "predict_output.h"
#include "trained_command.h"

#include <base/ids.h>
#include <base/units.h>
#include <control/data_facts.h>

#include <fmt/format.h>

#include <cmath>
#include <cstdio>

namespace lockstep::cli {
namespace {

constexpr std::int64_t kShownRows = 20;
constexpr std::int64_t kMostPrinted = 2'000'000;  // numbers

// A file in the making, gone unless it is kept.
class HalfFile {
public:
    explicit HalfFile(const std::filesystem::path& wanted) : m_wanted(wanted), m_path(wanted.string() + ".tmp-" + randomHex(4)) {}
    ~HalfFile() {
        std::error_code status;
        if (!m_wanted.empty()) std::filesystem::remove(m_path, status);
    }
    HalfFile(const HalfFile&) = delete;
    HalfFile& operator=(const HalfFile&) = delete;
    const std::filesystem::path& path() const { return m_path; }
    Result<void> keep() {
        std::error_code status;
        std::filesystem::rename(m_path, m_wanted, status);
        if (status) return makeError("F604", {{"file", m_wanted.string()}, {"reason", status.message()}});
        return syncFolder(m_wanted.parent_path());
    }

private:
    std::filesystem::path m_wanted, m_path;
};

class Predict : public Command {
public:
    void declare(CLI::App& parser) override {
        m_trained.declare(parser);
        parser.add_option("INPUT", m_input, ".npy or .npz (array x) of rows, a picture, or a folder of pictures")
            ->required()
            ->type_name("");
        parser.add_option("--out", m_out, "Write all results: .npy, .csv or .json")
            ->check([](const std::string& file) { return outputKind(file).empty() ? "must end in .npy, .csv or .json" : ""; })
            ->type_name("FILE");
        parser.add_flag("--raw", m_raw, "What the model gives, without softmax or sigmoid");
        m_rowsOption = parser.add_option("--rows", m_rows, fmt::format("Show so many results (default: {}; with --json all)", kShownRows))
                           ->check(CLI::NonNegativeNumber)
                           ->type_name("N");
    }

    Result<int> run(Context& context) override {
        LS_TRY_ASSIGN(const TrainedRequest request, m_trained.request(context));
        Output& output = context.output;
        HalfFile half(m_out.empty() ? std::filesystem::path() : std::filesystem::absolute(m_out));
        Json json = toJson(request);
        json["input"] = std::filesystem::absolute(m_input).string();
        json["out"] = m_out.empty() ? "" : half.path().string();
        json["kind"] = outputKind(m_out);
        json["raw"] = m_raw;
        json["shown"] = shownRows(output);
        LS_TRY_ASSIGN(const ChildEnd end, runInChild(output, {"predict", "predict", std::move(json), request.threads}));
        if (end.interrupted) return *end.interrupted;
        if (!m_out.empty()) LS_TRY(half.keep());
        print(output, end.result);
        return 0;
    }

private:
    // -1: all.
    std::int64_t shownRows(const Output& output) const {
        if (m_rowsOption->count() > 0) return m_rows;
        if (!m_out.empty()) return 0;
        return output.isJson() ? -1 : kShownRows;
    }

    void print(Output& output, const Json& result) const {
        for (const Json& note : result["notes"]) output.note(note.get<std::string>());
        if (output.options().format == Format::Lines)
            for (const Json& row : result["predictions"]) output.event(row);
        Json object{{"schema", 1}};
        object.update(result);
        if (!m_out.empty()) object["out"] = std::filesystem::absolute(m_out).string();
        if (output.options().format == Format::Object) output.json(object);
        const auto rows = result["rows"].get<std::int64_t>();
        const auto shown = static_cast<std::int64_t>(result["predictions"].size());
        const std::string activation = result["activation"].is_null() ? "" : result["activation"].get<std::string>();
        output.note(headOf(output, result) + fmt::format(": {} row{}", rows, rows == 1 ? "" : "s") +
                    (activation.empty() ? "" : "; probabilities are the " + activation + " of what the model gives"));
        if (shown > 0) output.line(formatTable(predictionTable(result["predictions"])));
        if (!m_out.empty())
            output.note("All are in " + m_out + ".");
        else if (shown < rows)
            output.note(fmt::format("{} more: --rows {} shows them, --out FILE writes them.", rows - shown, rows));
    }

    TrainedArguments m_trained;
    CLI::Option* m_rowsOption = nullptr;
    std::string m_input, m_out;
    std::int64_t m_rows = 0;
    bool m_raw = false;
};

// Whether all numbers of a row are finite; bytes are. Layers that take a maximum would make a number of NaN.
bool isFinite(const data::Split& rows, std::int64_t row) {
    if (rows.element == data::Element::U8) return true;
    const std::span all(reinterpret_cast<const float*>(rows.features.data()), rows.features.size() / sizeof(float));
    const auto width = static_cast<std::size_t>(rows.rowElements());
    return std::ranges::all_of(all.subspan(static_cast<std::size_t>(row) * width, width), [](float value) { return std::isfinite(value); });
}

// Everything the results go to: the file, and those that are shown.
class Results {
public:
    Results(ResultFacts facts, const PredictInput& input, std::int64_t shown, std::int64_t width)
        : m_facts(std::move(facts)), m_input(input), m_shown(shown), m_width(static_cast<std::size_t>(width)) {}

    Result<void> open(const std::string& kind, const std::string& file) {
        if (file.empty()) return {};
        LS_TRY_ASSIGN(m_writer, makePredictionWriter(kind, file, m_facts));
        return {};
    }

    // The results of rows from `first` of a part on, whose first row is row `begin` of the input.
    Result<void> addAll(const data::Split& part, std::int64_t begin, std::int64_t first, std::span<const float> values) {
        std::vector<float> one(m_width);
        for (std::size_t at = 0; at < values.size(); at += m_width, ++first) {
            std::ranges::copy(values.subspan(at, m_width), one.begin());
            const bool finite = isFinite(part, first);
            m_inputIsFinite = m_inputIsFinite && finite;
            LS_TRY(add(begin + first, one, finite));
        }
        return {};
    }

    // Error R571 when a result is no number.
    Result<Json> finish() {
        if (m_bad > 0)
            return makeError("R571", {{"what", "result"},
                                      {"where", fmt::format(" for {} of {} rows, the first is row {}", m_bad, m_facts.rows, m_firstBad)},
                                      {"why", m_inputIsFinite ? "The weights of this checkpoint have diverged."
                                                              : "The input holds values that are no numbers, or infinite ones."}});
        if (m_writer) LS_TRY(m_writer->finish());
        return std::move(m_predictions);
    }

private:
    Result<void> add(std::int64_t row, std::span<float> values, bool inputIsFinite) {
        if (!inputIsFinite || std::ranges::any_of(values, [](float value) { return !std::isfinite(value); })) {
            if (m_bad++ == 0) m_firstBad = row;
            return {};
        }
        train::applyActivation(m_facts.form, values);
        const std::string file = m_input.nameOf(row);
        if (m_writer && m_bad == 0) LS_TRY(m_writer->add(row, file, values));
        if (row < m_shown) m_predictions.push_back(predictionOf(m_facts, row, file, values));
        return {};
    }

    ResultFacts m_facts;
    const PredictInput& m_input;
    std::int64_t m_shown;
    std::size_t m_width;
    std::unique_ptr<PredictionWriter> m_writer;
    Json m_predictions = Json::array();
    std::int64_t m_bad = 0, m_firstBad = 0;
    bool m_inputIsFinite = true;
};

// Names of folders or words stand in the data; without it there are numbers, which is said.
std::vector<std::string> classNamesOf(const TrainedRun& run, Json& notes) {
    const std::string& dataset = run.spec.data.dataset;
    if (run.facts.classes == 0 || (dataset != "image_folder" && dataset != "csv")) return {};
    auto loaded = data::loadDataset(control::loadOptions(run.spec, control::dataFolder(run.spec)));
    if (loaded.ok()) return std::move(loaded->classNames);
    notes.push_back("The names of the classes are in the run's data, and it can't be read: " + loaded.error().message);
    return {};
}

// Of these data sets data.shape says how the numbers of a row are laid out; of pictures it is a size.
WantedRows wantedBy(const TrainedRun& run) {
    const std::string& dataset = run.spec.data.dataset;
    const bool numbers = dataset == "npy" || dataset == "csv" || dataset == "tfrecord";
    return {run.facts.rowShape, run.facts.bytes, numbers && !run.spec.data.shape.empty()};
}

std::int64_t shownOf(std::int64_t asked, std::int64_t rows) { return asked < 0 ? rows : std::min(asked, rows); }

const char* wordOf(train::ResultKind kind) {
    switch (kind) {
        case train::ResultKind::Classes: return "classes";
        case train::ResultKind::YesOrNo: return "yes_or_no";
        case train::ResultKind::Measurement: return "numbers";
    }
    return "";
}

}  // namespace

std::unique_ptr<Command> makePredict() { return std::make_unique<Predict>(); }

Result<Json> predictTask(const Json& request, WorkChannel& channel) {
    channel.progress({"loading", 0, 0, "", ""});
    LS_TRY_ASSIGN(TrainedRun run, openTrainedRun(request));
    LS_TRY_ASSIGN(const auto input, openPredictInput(request.at("input").get<std::string>(), wantedBy(run)));
    const std::int64_t rows = input->rows();
    LS_TRY_ASSIGN(train::Inference inference, run.inference(rows));
    ResultFacts facts{inference.form(), inference.resultShape(), rows, !input->nameOf(0).empty(), {}};
    if (request.at("raw").get<bool>()) facts.form = {};
    Json notes = Json::array();
    if (facts.form.kind == train::ResultKind::Classes) facts.classNames = classNamesOf(run, notes);
    const std::int64_t shown = shownOf(request.at("shown").get<std::int64_t>(), rows);
    if (shown > kMostPrinted / std::max<std::int64_t>(inference.resultWidth(), 1))
        return makeError(
            "X002",
            {{"what", fmt::format("{} results of {} numbers are too many to print; write them with --out", shown, inference.resultWidth())},
             {"help", "lockstep predict --help"}});
    Results results(facts, *input, shown, inference.resultWidth());
    LS_TRY(results.open(request.at("kind").get<std::string>(), request.at("out").get<std::string>()));
    for (std::int64_t done = 0; done < rows; done += inference.rowsAtOnce()) {
        channel.progress({"", static_cast<std::uint64_t>(done), static_cast<std::uint64_t>(rows), "", "rows/s"});
        LS_TRY_ASSIGN(const data::Split part, input->read(done, std::min(inference.rowsAtOnce(), rows - done)));
        LS_TRY(inference.predict(part, [&](std::int64_t first, std::int64_t, std::span<const float> values) {
            return results.addAll(part, done, first, values);
        }));
    }
    LS_TRY_ASSIGN(Json predictions, results.finish());
    Json result = run.toJson();
    result["input"] = request.at("input");
    result["rows"] = rows;
    result["kind"] = wordOf(facts.form.kind);
    result["activation"] = facts.form.activation.empty() ? Json(nullptr) : Json(facts.form.activation);
    for (const std::string& note : input->notes()) notes.push_back(note);
    result["notes"] = std::move(notes);
    result["predictions"] = std::move(predictions);
    return result;
}

}  // namespace lockstep::cli
