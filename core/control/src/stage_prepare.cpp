#include "flow_stages.h"

#include <base/file.h>
#include <cluster/inventory.h>
#include <control/data_facts.h>
#include <control/keras_model.h>
#include <store/reader.h>

#include <charconv>

namespace lockstep::control {
namespace {

constexpr std::uint64_t kSpecLimit = 1u << 20;
constexpr std::uint64_t kPlanLimit = 16u << 20;

Result<Asked> readNew(const FlowOptions& options, const NewRun& wanted) {
    auto text = wanted.text ? Result<std::string>(*wanted.text) : readFile(wanted.file, kSpecLimit);
    if (!text.ok()) return std::move(text).error();
    LS_TRY_ASSIGN(auto spec, spec::parseRunSpec(*text, wanted.file.string(), wanted.overrides));
    anchorData(spec, wanted.file);
    return Asked{RunFolder(options.project, options.run.value_or(newRunId())), std::move(spec), false};
}

Result<Asked> readOld(const FlowOptions& options, const ResumeRun& wanted) {
    LS_TRY_ASSIGN(auto folder, RunFolder::find(options.project, wanted.run));
    LS_TRY_ASSIGN(auto spec, spec::loadRunSpec(folder.spec()));
    return Asked{std::move(folder), std::move(spec), true};
}

// This computer; the plan refuses entries that are elsewhere.
cluster::Inventory takeInventory() {
    auto here = cluster::probeThisHost();
    here.address = "localhost";
    return {{std::move(here)}};
}

Result<void> storeFacts(store::Writer& writer, const Asked& asked, const plan::Plan& plan) {
    LS_TRY(writer.setMeta("run", asked.folder.run().value));
    LS_TRY(writer.setMeta("name", asked.spec.name));
    LS_TRY(writer.setMeta("strategy", spec::nameOf(asked.spec.strategy)));
    LS_TRY(writer.setMeta("spec", spec::printRunSpec(asked.spec)));
    LS_TRY(writer.setMeta("plan", plan::printPlan(plan)));
    if (!plan.memory.why.empty()) LS_TRY(writer.addEvent({unixSeconds(), "memory", -1, 0, "Made to fit: " + plan.memory.why, "", 0}));
    return writer.setState(store::RunState::Staging, "started", "user");
}

Result<Planned> planNew(const FlowOptions& options, const Asked& asked) {
    spec::RunSpec resolved = asked.spec;
    LS_TRY(resolveModel(resolved));
    LS_TRY_ASSIGN(const auto facts, readDataFacts(resolved));
    LS_TRY_ASSIGN(auto plan, plan::makePlan(resolved, takeInventory(), asked.folder.run().value, facts, options.sizer));
    return keepPlan(asked, std::move(plan));
}

// The store of a run that is not completed. Error R543: it is gone; a new one would say that the run never was.
Result<std::unique_ptr<store::Reader>> openUnfinished(const RunFolder& folder) {
    std::error_code status;
    if (std::filesystem::symlink_status(folder.database(), status).type() == std::filesystem::file_type::not_found)
        return makeError("R543", {{"run", folder.run().value}, {"file", folder.database().string()}, {"spec", folder.spec().string()}});
    LS_TRY_ASSIGN(auto reader, store::Reader::open(folder.database()));
    LS_TRY_ASSIGN(const auto states, reader->states());
    if (!states.empty() && states.back().state == store::RunState::Completed)
        return makeError("R533", {{"run", folder.run().value}, {"state", "completed"}});
    return reader;
}

Result<Planned> planOld(const Asked& asked) {
    Planned planned;
    // Looked at before anything is written, and again once nobody else can write.
    LS_TRY(openUnfinished(asked.folder));
    LS_TRY_ASSIGN(planned.writer, store::Writer::open(asked.folder.database()));
    LS_TRY_ASSIGN(const auto reader, openUnfinished(asked.folder));
    LS_TRY_ASSIGN(const auto text, readFile(asked.folder.plan(), kPlanLimit));
    LS_TRY_ASSIGN(planned.plan, plan::parsePlan(text));
    LS_TRY_ASSIGN(const auto epoch, reader->meta("epoch"));
    std::from_chars(epoch.data(), epoch.data() + epoch.size(), planned.epoch);
    LS_TRY(planned.writer->setState(store::RunState::Staging, "resumed", "user"));
    return planned;
}

}  // namespace

Result<Asked> readSpecification(const FlowOptions& options) {
    if (const auto* wanted = std::get_if<NewRun>(&options.what)) return readNew(options, *wanted);
    return readOld(options, std::get<ResumeRun>(options.what));
}

Result<Planned> keepPlan(const Asked& asked, plan::Plan plan) {
    Planned planned;
    planned.plan = std::move(plan);
    LS_TRY(RunFolder::create(asked.folder.project(), asked.folder.run()));
    const auto fill = [&]() -> Result<void> {
        LS_TRY(replaceFile(asked.folder.spec(), spec::printRunSpec(asked.spec)));
        LS_TRY(replaceFile(asked.folder.plan(), plan::printPlan(planned.plan)));
        LS_TRY_ASSIGN(planned.writer, store::Writer::open(asked.folder.database()));
        return storeFacts(*planned.writer, asked, planned.plan);
    };
    if (auto filled = fill(); !filled.ok()) {
        removeRun(asked, std::move(planned));
        return std::move(filled).error();
    }
    return planned;
}

Result<Planned> planRun(const FlowOptions& options, const Asked& asked) { return asked.resumed ? planOld(asked) : planNew(options, asked); }

void removeRun(const Asked& asked, Planned planned) {
    if (asked.resumed) {
        // The run stays as it was, but not in the middle of a launch.
        if (planned.writer) (void)planned.writer->setState(store::RunState::Lost, "could not be launched", "controller");
        return;
    }
    planned.writer.reset();
    std::error_code ignored;
    std::filesystem::remove_all(asked.folder.path(), ignored);
}

}  // namespace lockstep::control
