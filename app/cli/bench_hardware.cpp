// `lockstep bench hardware`: the speeds of this computer as a report to keep, to export and to compare with another.
#include "bench_rows.h"
#include "library_versions.h"
#include "project_access.h"

#include <base/file.h>
#include <base/units.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace lockstep::cli {
namespace {

constexpr std::size_t kLargestReport = 16u << 20;
constexpr double kQuickSeconds = 0.5;

std::string csvOf(const Json& report) {
    std::string text =
        "model,batch,threads,precision,images_per_second,seconds_p10,seconds_p50,seconds_p90,of_flops_limit,of_bytes_limit,peak_bytes,"
        "first_step_seconds,disturbed\n";
    for (const Json& row : report["rows"]) {
        std::string line;
        for (const char* name : {"model", "batch", "threads", "precision", "images_per_second", "seconds_p10", "seconds_p50", "seconds_p90",
                                 "of_flops_limit", "of_bytes_limit", "peak_bytes", "first_step_seconds", "disturbed"}) {
            const Json& value = row[name];
            line += (line.empty() ? "" : ",") + (value.is_string() ? value.get<std::string>() : value.dump());
        }
        text += line + "\n";
    }
    return text;
}

std::string markdownOf(const std::vector<std::vector<std::string>>& table) {
    std::string text;
    for (std::size_t i = 0; i < table.size(); ++i) {
        std::string line = "|", rule = "|";
        for (const std::string& cell : table[i]) {
            line += " " + cell + " |";
            rule += "---|";
        }
        text += line + "\n" + (i == 0 ? rule + "\n" : "");
    }
    return text;
}

std::string headOf(const Json& report) {
    const Json& host = report["host"];
    std::string text =
        fmt::format("{}, {} usable processors, {}, {}; lockstep {}; {}\n", host["processor"].get<std::string>(), host["cores"].get<int>(),
                    host["isa"].get<std::string>(), formatBytes(host["memory_bytes"].get<std::uint64_t>()),
                    report["version"].get<std::string>(), report["made"].get<std::string>());
    for (const Json& limit : report["limits"])
        text += fmt::format("limits on {} thread{}: {:.0f} GFLOP/s, {:.1f} GB/s\n", limit["threads"].get<int>(),
                            limit["threads"] == 1 ? "" : "s", limit["flops_per_second"].get<double>() / 1e9,
                            limit["bytes_per_second"].get<double>() / 1e9);
    return text;
}

Result<void> exportTo(const std::filesystem::path& file, const Json& report) {
    const auto kind = file.extension();
    if (kind == ".csv") return replaceFile(file, csvOf(report));
    if (kind == ".md") return replaceFile(file, "# Training speed\n\n" + headOf(report) + "\n" + markdownOf(tableOf(report["rows"])));
    return replaceFile(file, report.dump(1) + "\n");
}

bool isRow(const Json& row) {
    const auto has = [&](const char* name, bool (Json::*is)() const noexcept) { return row.contains(name) && (row[name].*is)(); };
    return row.is_object() && has("model", &Json::is_string) && has("precision", &Json::is_string) && has("batch", &Json::is_number) &&
           has("threads", &Json::is_number) && has("images_per_second", &Json::is_number) && has("seconds_p50", &Json::is_number);
}

Result<Json> readReport(const std::filesystem::path& file) {
    LS_TRY_ASSIGN(const std::string text, readFile(file, kLargestReport));
    Json report = Json::parse(text, nullptr, false);
    const auto refused = [&](const char* what) { return makeError("F638", {{"file", file.string()}, {"what", what}}); };
    if (!report.is_object() || report.value("kind", "") != "hardware-report") return refused("its kind is not hardware-report");
    if (report.value("schema", 0) != 1) return refused("its schema is not 1");
    if (!report.contains("rows") || !report["rows"].is_array() || !std::ranges::all_of(report["rows"], isRow))
        return refused("its rows are not whole");
    return report;
}

// img/s of both where both have the row.
std::vector<std::vector<std::string>> comparison(const Json& ours, const Json& theirs) {
    std::vector<std::vector<std::string>> table{{"MODEL", "BATCH", "THREADS", "PRECISION", "IMG/S", "IN THE OTHER", "RATIO"}};
    for (const Json& row : ours)
        for (const Json& other : theirs) {
            const bool same = std::ranges::all_of(std::initializer_list<const char*>{"model", "batch", "threads", "precision"},
                                                  [&](const char* name) { return row[name] == other[name]; });
            if (!same) continue;
            const double here = row["images_per_second"].get<double>(), there = other["images_per_second"].get<double>();
            table.push_back({row["model"].get<std::string>(), row["batch"].dump(), row["threads"].dump(),
                             row["precision"].get<std::string>(), fmt::format("{:.0f}", here), fmt::format("{:.0f}", there),
                             fmt::format("{:.2f}", here / there)});
        }
    return table;
}

std::vector<double> loads() {
    double values[3] = {};
    const int count = ::getloadavg(values, 3);
    return {values, values + std::max(count, 0)};
}

class BenchHardware : public BenchPart {
public:
    CLI::App* declare(CLI::App& bench) override {
        auto* parser = bench.add_subcommand("hardware", "Measure this computer's training speed: a report to keep, compare and export");
        parser->footer(
            "Measures mlp, lenet5, cnn, resnet20 and mobilenet with batches of 32 and 128 on one thread and on all, three rounds; about "
            "six\n"
            "minutes on two processors, --quick about one. --compare needs a report that --out wrote as .json, here or elsewhere.\n\n"
            "Examples:\n  lockstep bench hardware --out this.json --out this.md\n"
            "  lockstep bench hardware --quick --compare other.json\n  lockstep bench hardware --from this.json --compare other.json");
        auto* quick = parser->add_flag("--quick", m_quick, "One short round of mlp, cnn and resnet20 with batches of 32");
        parser->add_option("--out", m_out, "Write the report: .json to keep and compare, .md or .csv to show; several times")
            ->check(endsIn)
            ->type_name("FILE");
        parser->add_option("--compare", m_compare, "Also show the ratio to another report")->type_name("FILE");
        auto* from = parser->add_option("--from", m_from, "Do not measure; take a report")->excludes(quick)->type_name("FILE");
        declarePrecisions(*parser, m_precisions)->excludes(from);
        return parser;
    }

    Result<int> run(Context& context) override {
        Json other;
        if (!m_compare.empty()) {
            LS_TRY_ASSIGN(other, readReport(m_compare));
        }
        LS_TRY_ASSIGN(const auto made, reportOf(context));
        const auto& [report, code] = made;
        Output& output = context.output;
        output.line(headOf(report));
        output.line(formatTable(tableOf(report["rows"])));
        if (!other.is_null()) output.line("\n" + formatTable(comparison(report["rows"], other["rows"])));
        if (output.options().format == Format::Object) output.json(report);
        for (const std::string& file : m_out) LS_TRY(exportTo(file, report));
        return code;
    }

private:
    struct Made {
        Json report;
        int code = 0;
    };

    static std::string endsIn(const std::string& file) {
        const auto kind = std::filesystem::path(file).extension();
        return kind == ".json" || kind == ".md" || kind == ".csv" ? "" : "must end in .json, .md or .csv";
    }

    Result<Made> reportOf(Context& context) const {
        if (!m_from.empty()) {
            LS_TRY_ASSIGN(Json report, readReport(m_from));
            return Made{std::move(report), 0};
        }
        LS_TRY_ASSIGN(const auto workbench, openWorkbench(context, ProjectNeed::MayBeNew));
        LS_TRY_ASSIGN(const auto host, workbench->checks().thisHost());
        Json report{{"schema", 1},
                    {"kind", "hardware-report"},
                    {"made", toIsoTime(unixSeconds())},
                    {"version", LOCKSTEP_VERSION},
                    {"host",
                     {{"system", host.system},
                      {"processor", host.processor},
                      {"isa", host.isa},
                      {"cores", host.cores},
                      {"physical_cores", host.physicalCores},
                      {"memory_bytes", host.memoryBytes}}}};
        for (const auto& [name, version] : libraryVersions()) report["libraries"][name] = version;
        report["load_before"] = loads();
        LS_TRY_ASSIGN(BenchFindings found, measureCases(context.output, planFor(static_cast<int>(host.cores))));
        report["load_after"] = loads();
        report["limits"] = std::move(found.limits);
        report["rows"] = std::move(found.rows);
        return Made{std::move(report), found.interrupted.value_or(0)};
    }

    BenchPlan planFor(int cores) const {
        BenchPlan plan;
        if (m_quick) plan.seconds = kQuickSeconds;
        plan.rounds = m_quick ? 1 : 3;
        const std::vector<std::string> models = m_quick ? std::vector<std::string>{"mlp", "cnn", "resnet20"}
                                                        : std::vector<std::string>{"mlp", "lenet5", "cnn", "resnet20", "mobilenet"};
        const std::vector<std::int64_t> batches = m_quick ? std::vector<std::int64_t>{32} : std::vector<std::int64_t>{32, 128};
        const std::vector<int> threads = cores > 1 ? std::vector<int>{1, cores} : std::vector<int>{1};
        for (const std::string& model : models)
            for (const std::int64_t batch : batches)
                for (const int count : threads)
                    for (const std::string& precision : m_precisions) plan.cases.push_back({model, batch, count, precision, {}});
        return plan;
    }

    bool m_quick = false;
    std::vector<std::string> m_out, m_precisions = {"float32"};
    std::string m_compare, m_from;
};

}  // namespace

std::unique_ptr<BenchPart> makeBenchHardware() { return std::make_unique<BenchHardware>(); }

}  // namespace lockstep::cli
