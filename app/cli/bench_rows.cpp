#include "bench_rows.h"

#include "run_text.h"

#include <base/thread.h>
#include <base/units.h>
#include <nn/precision.h>

#include <algorithm>
#include <chrono>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lockstep::cli {
namespace {

constexpr double kProbeSeconds = 0.25;  // each of the two limits
constexpr double kQuiet = 0.95;         // bench::Limits::quiet; less: something else used the processors

// float32 goes without saying.
std::string titleWith(const std::string& title, const std::string& precision) {
    return precision == nn::kFloat32 ? title : title + " " + precision;
}

std::string titleOf(const BenchCase& one) {
    return titleWith(fmt::format("{} b{} {} thread{}", one.model, one.batch, one.threads, one.threads == 1 ? "" : "s"), one.precision);
}

ChildWork probeOf(const BenchCase& one, const std::vector<int>& processors) {
    return {"bench-probe", titleOf(one), Json{{"processors", processors}, {"seconds", kProbeSeconds}}, one.threads};
}

ChildWork workOf(const BenchCase& one, const std::vector<int>& processors, double seconds) {
    Json request{{"model", one.model},       {"batch", one.batch}, {"precision", one.precision},
                 {"processors", processors}, {"seconds", seconds}, {"begin", std::chrono::steady_clock::now().time_since_epoch().count()}};
    if (!one.curve.empty()) request["curve"] = std::filesystem::absolute(one.curve).string();
    return {"bench-train", titleOf(one), std::move(request), one.threads};
}

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[(values.size() - 1) / 2];
}

// All rounds of one case: the row of the median round, with the spread of all.
Json rowOf(const BenchCase& one, std::vector<Json> rounds) {
    std::ranges::sort(rounds, {}, [](const Json& round) { return round["images_per_second"].get<double>(); });
    Json row{{"model", one.model}, {"batch", one.batch}, {"threads", one.threads}, {"precision", one.precision}};
    row.update(rounds[(rounds.size() - 1) / 2]);
    std::vector<double> first;
    for (const Json& round : rounds) first.push_back(round["first_step_seconds"].get<double>());
    row["first_step_seconds"] = median(first);
    row["rounds"] = rounds.size();
    row["images_per_second_least"] = rounds.front()["images_per_second"];
    row["images_per_second_most"] = rounds.back()["images_per_second"];
    return row;
}

struct Probe {
    double flops = 0, bytes = 0;
};

// Shares of the limits: the best probe of that many threads is the limit.
void addShares(Json& row, const Probe& best, double quiet) {
    const double seconds = row["seconds_p50"].get<double>();
    row["of_flops_limit"] = row["flops"].get<double>() / seconds / best.flops;
    row["of_bytes_limit"] = row["bytes"].get<double>() / seconds / best.bytes;
    row["quiet"] = quiet;
    row["disturbed"] = quiet < kQuiet;
}

}  // namespace

Result<std::vector<int>> processorsFor(int threads) {
    const auto usable = usableProcessors();
    if (static_cast<std::size_t>(threads) > usable.size())
        return makeError(
            "X002", {{"what", fmt::format("{} threads on {} usable processors", threads, usable.size())}, {"help", "lockstep devices"}});
    return std::vector<int>(usable.end() - threads, usable.end());
}

CLI::Option* declarePrecisions(CLI::App& parser, std::vector<std::string>& precisions) {
    const std::string names = fmt::format("{}", fmt::join(nn::policyNames(), ", "));
    return parser.add_option("--precision", precisions, "Keras' dtype policies, any of " + names + " (default: float32)")
        ->delimiter(',')
        ->check(CLI::IsMember(nn::policyNames()))
        ->type_name("NAMES");
}

Result<BenchFindings> measureCases(Output& output, const BenchPlan& plan) {
    BenchFindings found;
    std::map<int, Probe> best;
    std::vector<std::vector<Json>> rounds(plan.cases.size());
    std::vector<double> quiet(plan.cases.size(), 1);
    for (int round = 0; round < plan.rounds && !found.interrupted; ++round)
        for (std::size_t i = 0; i < plan.cases.size() && !found.interrupted; ++i) {
            const BenchCase& one = plan.cases[i];
            LS_TRY_ASSIGN(const auto processors, processorsFor(one.threads));
            LS_TRY_ASSIGN(const ChildEnd probe, runInChild(output, probeOf(one, processors)));
            if (!(found.interrupted = probe.interrupted)) {
                Probe& limit = best[one.threads];
                limit.flops = std::max(limit.flops, probe.result["flops_per_second"].get<double>());
                limit.bytes = std::max(limit.bytes, probe.result["bytes_per_second"].get<double>());
                quiet[i] = std::min(quiet[i], probe.result["quiet"].get<double>());
                LS_TRY_ASSIGN(const ChildEnd end, runInChild(output, workOf(one, processors, plan.seconds)));
                if (!(found.interrupted = end.interrupted)) rounds[i].push_back(end.result);
            }
        }
    for (const auto& [threads, limit] : best)
        found.limits.push_back({{"threads", threads}, {"flops_per_second", limit.flops}, {"bytes_per_second", limit.bytes}});
    for (std::size_t i = 0; i < plan.cases.size(); ++i) {
        if (rounds[i].empty()) continue;
        Json row = rowOf(plan.cases[i], std::move(rounds[i]));
        addShares(row, best[plan.cases[i].threads], quiet[i]);
        output.event(row);
        found.rows.push_back(std::move(row));
    }
    return found;
}

std::string titleOf(const Json& row) {
    return titleWith(fmt::format("{} b{} {} thread{}", row["model"].get<std::string>(), row["batch"].get<std::int64_t>(),
                                 row["threads"].get<int>(), row["threads"] == 1 ? "" : "s"),
                     row["precision"].get<std::string>());
}

std::vector<std::vector<std::string>> tableOf(const Json& rows) {
    std::vector<std::vector<std::string>> table{{"MODEL", "BATCH", "THREADS", "PRECISION", "IMG/S", "MS P10", "P50", "P90", "OF FMA",
                                                 "OF BANDWIDTH", "PEAK MEMORY", "FIRST STEP", ""}};
    const auto ms = [](const Json& seconds) { return fmt::format("{:.3g}", 1e3 * seconds.get<double>()); };
    const auto percent = [](const Json& part) { return fmt::format("{:.0f} %", 100 * part.get<double>()); };
    for (const Json& row : rows)
        table.push_back({row["model"].get<std::string>(), std::to_string(row["batch"].get<std::int64_t>()),
                         std::to_string(row["threads"].get<int>()), row["precision"].get<std::string>(),
                         fmt::format("{:.0f}", row["images_per_second"].get<double>()), ms(row["seconds_p10"]), ms(row["seconds_p50"]),
                         ms(row["seconds_p90"]), percent(row["of_flops_limit"]), percent(row["of_bytes_limit"]),
                         formatBytes(row["peak_bytes"].get<std::uint64_t>()), fmt::format("{} ms", ms(row["first_step_seconds"])),
                         row["disturbed"].get<bool>() ? "disturbed" : ""});
    return table;
}

}  // namespace lockstep::cli
