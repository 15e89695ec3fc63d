#include "precision_probe.h"

#include <base/file.h>
#include <base/paths.h>
#include <cluster/inventory.h>
#include <exec_cpu/bfloat16_probe.h>
#include <exec_cpu/library_version.h>

namespace lockstep::cli {
namespace {

constexpr Seconds kTime{0.15};
constexpr std::uint64_t kLargestCache = 64u << 10;

std::filesystem::path cacheFile() { return cacheFolder() / "bfloat16.json"; }

// What the measurement holds for; the instruction set as oneDNN was told to use it.
std::string keyOf(const cluster::HostFacts& host) {
    const char* limit = std::getenv("ONEDNN_MAX_CPU_ISA");
    return host.processorName + ", " + host.isa + ", oneDNN " + exec::cpu::oneDnnVersion() +
           (limit == nullptr ? "" : std::string(", ") + limit);
}

std::optional<workbench::Bfloat16Speed> readCache(const std::string& key) {
    const auto text = readFile(cacheFile(), kLargestCache);
    if (!text.ok()) return std::nullopt;
    const Json all = Json::parse(*text, nullptr, false);
    if (!all.is_object() || !all.contains(key) || !all.at(key).is_object()) return std::nullopt;
    const Json& one = all.at(key);
    if (!one.contains("products") || !one.contains("ratio") || !one.at("products").is_boolean() || !one.at("ratio").is_number())
        return std::nullopt;
    return workbench::Bfloat16Speed{one.at("products").get<bool>(), one.at("ratio").get<double>()};
}

void writeCache(const std::string& key, const workbench::Bfloat16Speed& speed) {
    const auto before = readFile(cacheFile(), kLargestCache);
    Json all = before.ok() ? Json::parse(*before, nullptr, false) : Json::object();
    if (!all.is_object()) all = Json::object();
    all[key] = {{"products", speed.products}, {"ratio", speed.ratio}};
    if (makeFolders(cacheFolder(), 0700).ok())
        (void)replaceFile(cacheFile(), all.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace

Result<workbench::Bfloat16Speed> bfloat16Speed(Output& output) {
    const std::string key = keyOf(cluster::probeThisHost());
    if (const auto known = readCache(key)) return *known;
    LS_TRY_ASSIGN(const ChildEnd end, runInChild(output, {"probe-bfloat16", "bfloat16 products", Json::object(), 1}));
    if (end.interrupted) return makeError("X003", {{"work", "bfloat16 products"}, {"how", "was interrupted"}});
    const workbench::Bfloat16Speed speed{end.result.value("products", false), end.result.value("ratio", 0.0)};
    writeCache(key, speed);
    return speed;
}

Result<Json> probeBfloat16Task(const Json&, WorkChannel&) {
    const exec::cpu::Bfloat16Products found = exec::cpu::probeBfloat16(kTime);
    return Json{{"products", found.kernels}, {"ratio", found.ratio()}};
}

}  // namespace lockstep::cli
