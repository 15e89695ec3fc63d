#include "profile.h"

#include <base/file.h>
#include <bench/profile.h>

#include <algorithm>

#include <fmt/format.h>

namespace lockstep::cli {
namespace {

constexpr Seconds kProbe{0.2};
constexpr std::size_t kLargestFile = 64u << 20;

std::string milliseconds(double seconds) { return fmt::format("{:.3g}", 1e3 * seconds); }
std::string percent(double part) { return fmt::format("{:.0f} %", 100 * part); }

bool isWhole(const Json& file) {
    return file.is_object() && file.contains("lockstep") && file["lockstep"].is_object() && file["lockstep"].value("schema", 0) == 1 &&
           file["lockstep"].contains("kinds");
}

}  // namespace

std::filesystem::path profileFolder(const std::filesystem::path& run) { return run / "profile"; }

void RankProfiler::probe() { m_limits = bench::probeLimits(m_processors, kProbe); }

void RankProfiler::attach(train::RankHooks& hooks) {
    hooks.profile = [this](const train::StepProfile& profile) { m_profile = profile; };
    hooks.sample = [this, before = std::move(hooks.sample)](const telemetry::Sample& sample) {
        if (sample.series == telemetry::Series::StepSeconds) {
            ++m_steps;
            m_stepSeconds += sample.value;
        }
        if (sample.series == telemetry::Series::InputWaitSeconds) m_waitSeconds += sample.value;
        if (before) before(sample);
    };
}

Result<void> RankProfiler::write() const {
    bench::ProfiledRank rank;
    const auto steps = static_cast<double>(std::max<std::uint64_t>(m_steps, 1));
    rank.rank = m_rank;
    rank.threads = static_cast<int>(m_processors.size());
    rank.steps = m_steps;
    rank.stepSeconds = m_stepSeconds / steps;
    rank.inputWaitSeconds = m_waitSeconds / steps;
    rank.profile = m_profile;
    rank.limits = m_limits;
    return replaceFile(m_folder / fmt::format("rank-{}.json", m_rank), bench::printProfile(rank));
}

Json readProfiles(const std::filesystem::path& run) {
    std::vector<Json> profiles;
    std::error_code status;
    for (const auto& entry : std::filesystem::directory_iterator(profileFolder(run), status)) {
        const auto text = readFile(entry.path(), kLargestFile);
        const Json file = text.ok() ? Json::parse(*text, nullptr, false) : Json();
        if (!isWhole(file)) continue;
        Json profile{{"file", entry.path().string()}};
        profile.update(file["lockstep"]);
        profiles.push_back(std::move(profile));
    }
    std::ranges::sort(profiles, {}, [](const Json& profile) { return profile.value("rank", 0); });
    return profiles;
}

void printProfile(Output& output, const Json& profiles) {
    if (profiles.empty()) return;
    const Json& profile = profiles.front();
    const auto number = [](const Json& object, const char* name) { return object.value(name, 0.0); };
    const double whole = number(profile, "step_seconds");
    output.line(fmt::format("Where the step of rank {} goes: mean of {} steps {} ms, {} thread{}", profile.value("rank", 0),
                            profile.value("steps", std::uint64_t{0}), milliseconds(whole), profile.value("threads", 1),
                            profile.value("threads", 1) == 1 ? "" : "s"));
    std::vector<std::vector<std::string>> table{{"  OP", "COUNT", "MS", "OF STEP", "GFLOP/S", "GB/S", "BOUND BY", "OF ROOFLINE"}};
    for (const Json& kind : profile["kinds"])
        table.push_back(
            {"  " + kind.value("op", ""), std::to_string(kind.value("count", std::uint64_t{0})), milliseconds(number(kind, "seconds")),
             percent(number(kind, "of_step")), fmt::format("{:.1f}", number(kind, "flops_per_second") / 1e9),
             fmt::format("{:.1f}", number(kind, "bytes_per_second") / 1e9), kind.value("bound", ""), percent(number(kind, "of_roofline"))});
    const auto other = [&](const char* what, double seconds) {
        table.push_back({std::string("  ") + what, "", milliseconds(seconds), percent(seconds / std::max(whole, 1e-12))});
    };
    other("wait for input", number(profile, "input_wait_seconds"));
    other("between the ops", number(profile, "other_seconds"));
    output.line(formatTable(table));
    for (const Json& one : profiles) output.line("  trace in " + one.value("file", ""));
}

}  // namespace lockstep::cli
