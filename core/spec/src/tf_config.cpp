#include "tf_reading.h"

#include <algorithm>
#include <array>

namespace lockstep::spec {
namespace {

std::vector<TfFinding> analyse(const std::vector<TaskConfig>& configs, const CheckContext& context, std::vector<TfReading>& readings) {
    TfFindings findings;
    for (std::size_t i = 0; i < configs.size(); ++i) readings.push_back(readTfConfig(configs[i], static_cast<int>(i), context, findings));
    compareConfigs(configs, readings, context, findings);
    checkMachines(configs, readings, context, findings);
    return findings.take();
}

// The first finding that makes the text useless, as an error that says where.
// `wrapped` characters stand in front of the person's text on its first line.
std::optional<Error> firstError(std::vector<TfFinding> findings, std::string_view exceptCode, int wrapped = 0) {
    for (TfFinding& one : findings) {
        if (one.finding.severity != Severity::Error || one.finding.code == exceptCode) continue;
        if (one.finding.line == 0 || one.finding.code == "T303") return std::move(one.error);
        if (one.finding.line == 1) one.finding.column -= wrapped;
        return withContext(std::move(one.error),
                           "reading TF_CONFIG line " + std::to_string(one.finding.line) + ", column " + std::to_string(one.finding.column));
    }
    return std::nullopt;
}

CheckContext textOnly() {
    CheckContext context;
    context.partial = true;
    return context;
}

// Addresses and job names hold no character that JSON escapes once they were checked; quotes and backslashes are escaped anyway.
std::string jsonText(std::string_view text) {
    std::string out = "\"";
    for (const char letter : text) {
        if (letter == '"' || letter == '\\') out += '\\';
        out += letter;
    }
    return out + "\"";
}

std::string printJob(const JobAddresses& job) {
    std::string out = jsonText(job.job) + (job.sparse ? ":{" : ":[");
    bool first = true;
    for (const auto& [index, address] : job.tasks) {
        out += (first ? "" : ",") + (job.sparse ? jsonText(std::to_string(index)) + ":" : "") + jsonText(address);
        first = false;
    }
    return out + (job.sparse ? "}" : "]");
}

}  // namespace

const JobAddresses* TfCluster::find(std::string_view job) const {
    const auto found = std::find_if(jobs.begin(), jobs.end(), [&](const JobAddresses& one) { return one.job == job; });
    return found == jobs.end() ? nullptr : &*found;
}

std::string_view nameOf(Severity severity) {
    constexpr std::array<std::string_view, 3> kNames = {"ok", "warn", "error"};
    return kNames[static_cast<std::size_t>(severity)];
}

Result<TfConfig> parseTfConfig(std::string_view text) {
    std::vector<TfReading> readings;
    auto findings = analyse({TaskConfig{"this host", std::string(text)}}, textOnly(), readings);
    if (auto error = firstError(std::move(findings), "")) return std::move(*error);
    return TfConfig{readings[0].cluster, readings[0].task};
}

Result<TfCluster> parseCluster(std::string_view text) {
    const auto parsed = parseJson(text);
    const auto* root = std::get_if<JsonNode>(&parsed);
    const bool bare =
        root != nullptr && root->kind == JsonNode::Kind::Object && root->find("cluster") == nullptr && root->find("task") == nullptr;
    std::vector<TfReading> readings;
    constexpr std::string_view kFront = "{\"cluster\":";
    const std::string whole = bare ? std::string(kFront) + std::string(text) + "}" : std::string(text);
    auto findings = analyse({TaskConfig{"this host", whole}}, textOnly(), readings);
    if (auto error = firstError(std::move(findings), "T310", bare ? static_cast<int>(kFront.size()) : 0)) return std::move(*error);
    if (!readings[0].hasCluster || readings[0].cluster.jobs.empty()) {
        return makeError("T325", {{"path", "cluster"}, {"expected", "an object with a list of host:port for each job"}, {"kind", "empty"}});
    }
    return readings[0].cluster;
}

std::string printTfConfig(const TfCluster& cluster, const TfTask& task) {
    std::string out = "{\"cluster\":{";
    for (const JobAddresses& job : cluster.jobs) out += (out.back() == '{' ? "" : ",") + printJob(job);
    return out + "},\"task\":{\"type\":" + jsonText(task.type) + ",\"index\":" + std::to_string(task.index) + "}}";
}

CheckReport checkTfConfigs(const std::vector<TaskConfig>& configs, const CheckContext& context) {
    std::vector<TfReading> readings;
    CheckReport report;
    for (TfFinding& one : analyse(configs, context, readings)) {
        report.verdict = std::max(report.verdict, one.finding.severity);
        report.findings.push_back(std::move(one.finding));
    }
    return report;
}

}  // namespace lockstep::spec
