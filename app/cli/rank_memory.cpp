#include "rank_memory.h"

#include "rank_setup.h"

#include <base/units.h>
#include <cluster/inventory.h>
#include <control/data_facts.h>
#include <control/keras_model.h>
#include <plan/ladder.h>
#include <train/memory.h>

namespace lockstep::cli {
namespace {

const plan::RankBytes& bytesOf(const plan::Plan& plan, int rank) { return plan.ranks.at(static_cast<std::size_t>(rank)).bytes; }

// The remedy that makes it fit into what there is, in words for an error.
std::string nextRemedy(const spec::RunSpec& spec, std::uint64_t available) {
    const std::string general = "Close other programs, or see lockstep plan SPEC --fit-memory " + std::to_string(available >> 20) + "MiB.";
    auto here = cluster::probeThisHost();
    here.address = "localhost";
    spec::RunSpec asked = spec;
    if (!control::resolveModel(asked).ok()) return general;
    const auto facts = control::readDataFacts(asked);
    if (!facts.ok()) return general;
    asked.training.memoryLimit.reset();
    const auto ladder = plan::memoryLadder(asked, {{std::move(here)}}, available, *facts, makeSizer(false));
    return ladder.ok() ? "Close other programs. " + plan::doesNotFit(*ladder).next : general;
}

}  // namespace

plan::Sizer makeSizer(bool reference) {
    return
        [reference](const spec::RunSpec& spec, const plan::Plan& plan, int rank, const plan::DataFacts& data) -> Result<plan::RankBytes> {
            train::RankOptions options = rankOptionsOf(spec, plan, rank, control::dataFolder(spec), data);
            options.checkpoint.folder = "checkpoints";  // ranks of a run have one
            const data::DatasetFacts facts{
                data.rowShape,   data.rows, data.validationRows, data.classes, data.bytes ? data::Element::U8 : data::Element::F32,
                data.targetWidth};
            const auto executor = makeExecutor(reference);
            LS_TRY_ASSIGN(const auto m, train::memoryOf(options, facts, static_cast<int>(plan.ranks.size()), *executor));
            return plan::RankBytes{m.weights, m.gradients, m.optimizerSlots, m.activations, m.workspace,
                                   m.input,   m.data,      m.checkpoint,     m.library};
        };
}

void guardMemory(train::RankOptions& options, const spec::RunSpec& spec, const plan::Plan& plan) {
    options.compile.allow = [&spec, &plan, rank = options.rank](const exec::MemoryReport& report) -> Result<void> {
        const plan::RankBytes& bytes = bytesOf(plan, rank);
        // The rows are there already; what is written behind the compilation comes on top.
        const std::uint64_t need = report.total() + bytes.input + bytes.checkpoint, available = cluster::availableMemory();
        if (need <= available) return {};
        return makeError("M903", {{"rank", std::to_string(rank)},
                                  {"need", formatBytes(need)},
                                  {"available", formatBytes(available)},
                                  {"parts", plan::bytesInWords(bytes)},
                                  {"next", nextRemedy(spec, available)}});
    };
}

Error outOfMemory(const plan::Plan& plan, int rank, const std::string& when) {
    const plan::RankBytes& bytes = bytesOf(plan, rank);
    return makeError("M904", {{"rank", std::to_string(rank)},
                              {"when", when},
                              {"parts", plan::bytesInWords(bytes)},
                              {"next", "See lockstep plan SPEC --fit-memory " + std::to_string(bytes.total() * 3 / 4 >> 20) +
                                           "MiB for remedies, or set training.memory_limit."}});
}

}  // namespace lockstep::cli
