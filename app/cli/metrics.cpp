#include "commands.h"
#include "project_access.h"
#include "run_text.h"

#include <base/units.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace lockstep::cli {
namespace {

std::string rankText(int rank) { return rank == api::kWholeRun ? "all" : std::to_string(rank); }

// JSON has no word for NaN and infinite values.
std::string jsonDouble(double value) { return std::isfinite(value) ? formatDouble(value) : "null"; }

// By hand: shortest doubles that read back the same, and a million lines without a tree of objects each.
std::string pointLine(const api::SeriesKey& key, const api::Point& point) {
    std::string text =
        "{\"series\":" + Json(key.name).dump() + ",\"rank\":" + (key.rank == api::kWholeRun ? "null" : std::to_string(key.rank));
    text += ",\"step\":" + std::to_string(point.step) + ",\"time\":" + jsonDouble(point.time) + ",\"value\":" + jsonDouble(point.value);
    return text + "}";
}

std::string seriesObject(const api::SeriesKey& key, const std::vector<api::Point>& points) {
    std::string text =
        "{\"series\":" + Json(key.name).dump() + ",\"rank\":" + (key.rank == api::kWholeRun ? "null" : std::to_string(key.rank));
    text += ",\"points\":[";
    for (std::size_t i = 0; i < points.size(); ++i)
        text += std::string(i == 0 ? "" : ",") + "[" + std::to_string(points[i].step) + "," + jsonDouble(points[i].time) + "," +
                jsonDouble(points[i].value) + "]";
    return text + "]}";
}

class Metrics : public Command {
public:
    void declare(CLI::App& parser) override {
        parser.add_option("RUN", m_run, "Run id, a unique part of it, or last")->required()->type_name("");
        parser.add_option("-s,--series", m_series, "Name of a series, e.g. loss; may be given more than once (default: list them)")
            ->type_name("NAME")
            ->expected(1)
            ->take_all();
        parser.add_option("--rank", m_rank, "Only this rank's, or all (default: the whole run's, else every rank's)")->type_name("N|all");
        parser.add_option("--from", m_range.from, "First step")->type_name("STEP");
        parser.add_option("--to", m_range.to, "Last step")->type_name("STEP");
    }

    Result<int> run(Context& context) override {
        LS_TRY_ASSIGN(const auto workbench, openWorkbench(context, ProjectNeed::MustBeThere));
        auto& runs = workbench->runs();
        LS_TRY_ASSIGN(const auto id, runs.find(m_run));
        LS_TRY_ASSIGN(const auto all, runs.series(id));
        if (m_series.empty()) {
            LS_TRY_ASSIGN(const auto listed, m_rank.empty() ? Result<std::vector<api::SeriesKey>>(all) : ofRank(all));
            if (listed.empty() && !all.empty()) return makeError("R570", {{"run", id.value}, {"rank", m_rank}});
            return list(context.output, runs, id, listed);
        }
        LS_TRY_ASSIGN(const auto chosen, choose(id, all));
        return print(context.output, runs, id, chosen);
    }

private:
    static Result<int> list(Output& output, api::Runs& runs, const RunId& run, const std::vector<api::SeriesKey>& all) {
        std::vector<std::vector<std::string>> rows{{"SERIES", "RANK", "POINTS", "LAST STEP", "LAST VALUE"}};
        Json entries = Json::array();
        for (const auto& key : all) {
            // One bucket over everything: no point needs to be read.
            LS_TRY_ASSIGN(const auto buckets, runs.buckets(run, key, {}, 1));
            const auto whole = buckets.empty() ? api::Bucket{} : buckets.front();
            rows.push_back(
                {key.name, rankText(key.rank), std::to_string(whole.count), std::to_string(whole.lastStep), numberText(whole.last)});
            Json entry{{"series", key.name},
                       {"rank", key.rank == api::kWholeRun ? Json(nullptr) : Json(key.rank)},
                       {"points", whole.count},
                       {"last_step", whole.lastStep},
                       {"last_value", jsonNumber(whole.last)}};
            output.event(entry);
            entries.push_back(std::move(entry));
        }
        if (output.options().format == Format::Object) output.json({{"schema", 1}, {"run", run.value}, {"series", entries}});
        if (all.empty())
            output.note("Run " + run.value + " has no curves yet.");
        else
            output.line(formatTable(rows));
        return 0;
    }

    Result<std::vector<api::SeriesKey>> choose(const RunId& run, const std::vector<api::SeriesKey>& all) const {
        std::vector<api::SeriesKey> chosen;
        for (const auto& name : m_series) {
            std::vector<api::SeriesKey> named;
            std::ranges::copy_if(all, std::back_inserter(named), [&](const api::SeriesKey& key) { return key.name == name; });
            const bool known = !named.empty();
            LS_TRY_ASSIGN(auto kept, ofRank(std::move(named)));
            if (kept.empty() && known) return makeError("R570", {{"run", run.value}, {"rank", m_rank}});
            if (kept.empty()) return makeError("R565", {{"series", name}, {"run", run.value}, {"known", namesOf(all)}});
            chosen.insert(chosen.end(), kept.begin(), kept.end());
        }
        return chosen;
    }

    Result<std::vector<api::SeriesKey>> ofRank(std::vector<api::SeriesKey> named) const {
        if (m_rank == "all") return named;
        int rank = api::kWholeRun;
        if (!m_rank.empty()) {
            const auto [end, status] = std::from_chars(m_rank.data(), m_rank.data() + m_rank.size(), rank);
            if (status != std::errc() || end != m_rank.data() + m_rank.size() || rank < 0)
                return makeError("X002",
                                 {{"what", "--rank is a number or all, not \"" + m_rank + "\""}, {"help", "lockstep metrics --help"}});
        }
        const bool whole = std::ranges::any_of(named, [](const api::SeriesKey& key) { return key.rank == api::kWholeRun; });
        if (m_rank.empty() && !whole) return named;
        std::erase_if(named, [&](const api::SeriesKey& key) { return key.rank != rank; });
        return named;
    }

    static std::string namesOf(const std::vector<api::SeriesKey>& all) {
        std::string text;
        std::string last;
        for (const auto& key : all)
            if (key.name != last) text += (text.empty() ? "" : ", ") + (last = key.name);
        return text.empty() ? "no series yet" : text;
    }

    Result<int> print(Output& output, api::Runs& runs, const RunId& run, const std::vector<api::SeriesKey>& chosen) const {
        std::string object;
        for (const auto& key : chosen) {
            LS_TRY_ASSIGN(const auto points, runs.points(run, key, m_range));
            if (output.options().format == Format::Object) object += (object.empty() ? "" : ",") + seriesObject(key, points);
            if (output.options().format == Format::Lines)
                for (const auto& point : points) output.jsonText(pointLine(key, point));
            if (output.isJson()) continue;
            if (chosen.size() > 1) output.line("# " + key.name + ", rank " + rankText(key.rank));
            for (const auto& point : points) output.line(std::to_string(point.step) + "\t" + formatDouble(point.value));
        }
        if (output.options().format == Format::Object)
            output.jsonText("{\"schema\":1,\"run\":" + Json(run.value).dump() + ",\"series\":[" + object + "]}");
        return 0;
    }

    std::string m_run;
    std::vector<std::string> m_series;
    std::string m_rank;
    api::StepRange m_range;
};

}  // namespace

std::unique_ptr<Command> makeMetrics() { return std::make_unique<Metrics>(); }

}  // namespace lockstep::cli
