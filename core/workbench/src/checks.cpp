#include "checks.h"

#include <base/file.h>
#include <cluster/bfloat16.h>
#include <cluster/doctor.h>
#include <cluster/inventory.h>
#include <control/data_facts.h>
#include <control/keras_model.h>
#include <nn/model.h>
#include <nn/precision.h>
#include <plan/ladder.h>
#include <plan/plan.h>
#include <spec/run_spec.h>
#include <spec/tf_config.h>

#include <map>
#include <string>

namespace lockstep::workbench {
namespace {

constexpr std::uint64_t kTfConfigLimit = 1u << 20;
constexpr std::uint64_t kSpecLimit = 1u << 20;
constexpr std::uint64_t kCaseLimit = 4u << 20;
constexpr int kExitBadTfConfig = 3;
constexpr int kExitPreflight = 4;

Result<std::string> textOf(const api::SpecSource& source) {
    if (source.text) return *source.text;
    return readFile(source.file, kSpecLimit);
}

Result<spec::RunSpec> parse(const api::SpecSource& source) {
    LS_TRY_ASSIGN(const auto text, textOf(source));
    return spec::parseRunSpec(text, source.file.string(), source.overrides);
}

// With the paths made absolute and the layers of a model file.
Result<spec::RunSpec> resolve(spec::RunSpec spec, const api::SpecSource& source) {
    control::anchorData(spec, source.file);
    LS_TRY(control::resolveModel(spec));
    return spec;
}

Result<std::string> whereIs(std::string_view key, const api::SpecSource& source) {
    LS_TRY_ASSIGN(const auto text, textOf(source));
    return spec::whereIs(key, text, source.file.string(), source.overrides);
}

Result<void> checkBatch(const spec::RunSpec& spec, const api::SpecSource& source) {
    const auto replicas = spec::namedReplicas(spec);
    if (replicas && spec.training.globalBatchSize < *replicas) {
        LS_TRY_ASSIGN(auto where, whereIs("training.global_batch_size", source));
        return makeError(
            "S310",
            {{"where", std::move(where)}, {"rows", std::to_string(spec.training.globalBatchSize)}, {"slices", std::to_string(*replicas)}});
    }
    return {};
}

nn::ModelOptions modelOf(const spec::RunSpec& spec, const plan::DataFacts& facts) {
    return spec::modelOptionsOf(spec, {facts.rowShape, facts.classes, facts.targetWidth});
}

// Shapes, inputs and settings of the layers on this data.
Result<void> checkModel(const spec::RunSpec& spec, const plan::DataFacts& facts, const api::SpecSource& source) {
    const auto model = nn::buildModel(modelOf(spec, facts), 1, graph::DType::F32);
    if (model.ok()) return {};
    LS_TRY_ASSIGN(const auto where, whereIs(spec.model.keras            ? "model.keras"
                                            : spec.model.layers.empty() ? "model.preset"
                                                                        : "model.layers",
                                            source));
    return withContext(model.error(), "building the model of " + where);
}

Result<void> checkData(const spec::RunSpec& spec, const api::SpecSource& source) {
    const auto facts = control::readDataFacts(spec);
    if (facts.ok()) return checkModel(spec, *facts, source);
    LS_TRY_ASSIGN(const auto where, whereIs(spec.data.path ? "data.path" : "data.dataset", source));
    return withContext(facts.error(), "looking at the data of " + where);
}

api::Verdict toApi(spec::Severity severity) {
    switch (severity) {
        case spec::Severity::Ok: return api::Verdict::Ok;
        case spec::Severity::Warn: return api::Verdict::Warning;
        case spec::Severity::Error: return api::Verdict::Error;
    }
    return api::Verdict::Error;
}

api::CheckStatus toApi(cluster::CheckStatus status) {
    switch (status) {
        case cluster::CheckStatus::Pass: return api::CheckStatus::Pass;
        case cluster::CheckStatus::Warn: return api::CheckStatus::Warn;
        case cluster::CheckStatus::Fail: return api::CheckStatus::Fail;
        case cluster::CheckStatus::Skipped: return api::CheckStatus::Skipped;
    }
    return api::CheckStatus::Fail;
}

Result<spec::CheckCase> readCase(const api::TfConfigQuery& query) {
    if (!query.caseFile.empty()) {
        LS_TRY_ASSIGN(const auto text, readFile(query.caseFile, kCaseLimit));
        return spec::parseCheckCase(text);
    }
    spec::CheckCase one;
    for (const auto& [machine, file] : query.hosts) {
        LS_TRY_ASSIGN(auto text, readFile(file, kTfConfigLimit));
        one.configs.push_back({machine, std::move(text)});
    }
    if (one.configs.empty()) {
        one.configs.push_back({"", query.text});
        one.context.partial = true;  // the others are set elsewhere
    }
    return one;
}

// Every host of a specification is this computer for now; the plan refuses others.
cluster::Inventory thisComputer() {
    auto here = cluster::probeThisHost();
    here.name = "here";
    here.address = "localhost";
    return {{std::move(here)}};
}

api::PlanView toView(const plan::Plan& plan) {
    api::PlanView view;
    view.json = plan::printPlan(plan);
    view.text = plan::explainPlan(plan);
    for (const auto& task : plan.tasks) view.tasks.push_back({task.type, task.index, task.address, task.tfConfig});
    for (const auto& rank : plan.ranks)
        view.ranks.push_back({rank.rank, rank.task, rank.host, rank.device, rank.cores, rank.sliceCount, rank.bytes.total()});
    view.stepSeconds = plan.forecast.stepSeconds;
    view.samplesPerSecond = plan.forecast.samplesPerSecond;
    return view;
}

}  // namespace

Result<api::SpecSummary> ChecksImpl::describe(const api::SpecSource& source) const {
    LS_TRY_ASSIGN(const auto spec, parse(source));
    api::SpecSummary summary{spec.name, std::string(spec::nameOf(spec.strategy)), spec.model.preset, spec.data.dataset, 0};
    if (!spec.model.layers.empty()) summary.model = std::to_string(spec.model.layers.size()) + " layers";
    if (spec.model.keras) summary.model = spec.model.keras->filename().string();
    for (const auto& host : spec.cluster.hosts) summary.devices += static_cast<int>(host.devices.size());
    return summary;
}

Result<api::SpecView> ChecksImpl::validate(const api::SpecSource& source) const {
    LS_TRY_ASSIGN(const auto spec, parse(source));
    LS_TRY(checkBatch(spec, source));
    LS_TRY_ASSIGN(const auto resolved, resolve(spec, source));
    LS_TRY(checkData(resolved, source));
    LS_TRY_ASSIGN(const auto facts, control::readDataFacts(resolved));
    LS_TRY(spec::checkMonitors(resolved, facts.validationRows > 0));
    return api::SpecView{spec.name, std::string(spec::nameOf(spec.strategy)), spec::specHash(resolved), spec::printRunSpec(spec),
                         nn::precisionWarnings(modelOf(resolved, facts))};
}

Result<api::PlanView> ChecksImpl::plan(const api::SpecSource& source) const {
    LS_TRY_ASSIGN(const auto spec, parse(source));
    LS_TRY(checkBatch(spec, source));
    LS_TRY_ASSIGN(const auto resolved, resolve(spec, source));
    LS_TRY_ASSIGN(const auto facts, control::readDataFacts(resolved));
    LS_TRY_ASSIGN(const auto plan, plan::makePlan(resolved, thisComputer(), "", facts, m_sizer));
    api::PlanView view = toView(plan);
    LS_TRY_ASSIGN(const auto notes, precisionNotes(resolved, facts));
    for (const std::string& note : notes) view.text += note + "\n";
    return view;
}

Result<std::vector<std::string>> ChecksImpl::precisionNotes(const spec::RunSpec& spec, const plan::DataFacts& facts) const {
    std::vector<std::string> notes = nn::precisionWarnings(modelOf(spec, facts));
    if (spec.training.mixedPrecision == nn::kMixedBfloat16 && m_bfloat16Speed) {
        LS_TRY_ASSIGN(const auto speed, m_bfloat16Speed());
        notes.push_back("Precision: " + cluster::bfloat16Sentence({speed.products, speed.ratio}) + ".");
    }
    if (spec.training.mixedPrecision == nn::kMixedFloat16)
        notes.push_back("Precision: float16 is slower on this CPU: it is computed in float32 and rounded, to see how a run behaves.");
    return notes;
}

Result<api::MemoryLadderView> ChecksImpl::fitMemory(const api::SpecSource& source, std::uint64_t bytes) const {
    LS_TRY_ASSIGN(const auto asked, parse(source));
    LS_TRY(checkBatch(asked, source));
    LS_TRY_ASSIGN(auto spec, resolve(asked, source));
    LS_TRY_ASSIGN(const auto facts, control::readDataFacts(spec));
    spec.training.memoryLimit.reset();  // the question is about another one
    std::optional<cluster::Bfloat16Speed> bfloat16;
    if (m_bfloat16Speed) {
        LS_TRY_ASSIGN(const auto speed, m_bfloat16Speed());
        bfloat16 = {speed.products, speed.ratio};
    }
    LS_TRY_ASSIGN(const auto ladder, plan::memoryLadder(spec, thisComputer(), bytes, facts, m_sizer, bfloat16));
    return api::MemoryLadderView{plan::printLadder(ladder), plan::explainLadder(ladder), ladder.chosen.has_value()};
}

Result<api::DoctorReport> ChecksImpl::doctor() const {
    auto checks = cluster::runDoctor({.project = m_project, .libraries = m_libraries});
    if (m_bfloat16Speed) {
        LS_TRY_ASSIGN(const auto speed, m_bfloat16Speed());
        checks.push_back(cluster::checkBfloat16({speed.products, speed.ratio}));
    }
    api::DoctorReport report;
    report.worst = toApi(cluster::worstOf(checks));
    report.exitCode = report.worst == api::CheckStatus::Fail ? kExitPreflight : 0;
    for (const auto& check : checks) report.lines.push_back({check.name, toApi(check.status), check.line, check.why, check.fix});
    return report;
}

Result<api::HostView> ChecksImpl::thisHost() const {
    const auto facts = cluster::probeThisHost();
    api::HostView view{facts.hostname,      facts.address,       facts.system,
                       facts.processorName, facts.isa,           static_cast<int>(facts.processors.size()),
                       facts.physicalCores, facts.memoryBytes,   facts.availableBytes,
                       facts.shmBytes,      facts.diskFreeBytes, {}};
    std::map<std::string, int> perKind;
    for (const auto& device : facts.devices) {
        const auto id = device.kind + ":" + std::to_string(perKind[device.kind]++);
        view.devices.push_back(
            {id, device.kind, device.name, device.kind == "cpu" ? view.cores : 0, device.memoryBytes, facts.availableBytes});
    }
    return view;
}

Result<api::TfConfigReport> ChecksImpl::tfConfig(const api::TfConfigQuery& query) const {
    LS_TRY_ASSIGN(const auto one, readCase(query));
    const auto checked = spec::checkTfConfigs(one.configs, one.context);
    api::TfConfigReport report;
    report.verdict = toApi(checked.verdict);
    report.exitCode = checked.verdict == spec::Severity::Error ? kExitBadTfConfig : 0;
    for (const auto& finding : checked.findings) {
        const bool placed = finding.task >= 0 && static_cast<std::size_t>(finding.task) < one.configs.size();
        report.findings.push_back({finding.code, toApi(finding.severity),
                                   placed ? one.configs[static_cast<std::size_t>(finding.task)].machine : "", finding.task, finding.line,
                                   finding.column, finding.message, finding.next});
    }
    return report;
}

}  // namespace lockstep::workbench
