#include "estimate.h"
#include "placement.h"
#include "plan_with.h"

#include <base/units.h>
#include <plan/ladder.h>
#include <plan/plan.h>

#include <algorithm>
#include <set>

namespace lockstep::plan {
namespace {

// Two buffers per bucket and rank, with room for the counters.
std::uint64_t sharedBytesNeeded(const std::vector<std::uint64_t>& buckets, std::size_t ranks) {
    std::uint64_t bytes = 1u << 20;
    for (const std::uint64_t bucket : buckets) bytes += 2 * bucket * ranks;
    return bytes;
}

struct Transport {
    std::string name;
    std::string why;
};

// Ranks of one task have no address of their own to meet at.
Result<void> checkAddresses(const Placement& placement, const Transport& transport) {
    if (transport.name != "tcp") return {};
    const bool alone = placement.ranks.size() == placement.tasks.size() &&
                       std::ranges::none_of(placement.tasks, [](const Task& task) { return task.address.empty(); });
    if (alone) return {};
    return makeError("S307",
                     {{"where", "Plan"},
                      {"what", "over TCP each rank needs a task of its own with an address, and here ranks share a task (TCP because: " +
                                   transport.why + ")"},
                      {"next",
                       "Use distribution.transport auto or shm with room in /dev/shm, or one device for each worker of "
                       "MultiWorkerMirroredStrategy."}});
}

Result<Transport> chooseTransport(const spec::RunSpec& spec, const Placement& placement, const std::vector<std::uint64_t>& buckets) {
    const std::string& wanted = spec.distribution.transport;
    if (placement.ranks.size() < 2) return Transport{"none", "one rank sums with nobody"};
    std::set<const cluster::HostFacts*> hosts(placement.facts.begin(), placement.facts.end());
    const bool oneHost = hosts.size() == 1 && *hosts.begin() != nullptr;
    if (wanted == "tcp") return Transport{"tcp", "distribution.transport asks for it"};
    if (wanted == "shm" && !oneHost) {
        return makeError("S307", {{"where", "Plan"},
                                  {"what", "distribution.transport is shm, and the ranks are on several hosts"},
                                  {"next", "Use auto or tcp."}});
    }
    if (wanted == "shm") return Transport{"shm", "distribution.transport asks for it"};
    if (!oneHost) return Transport{"tcp", "the ranks are on several hosts"};
    const std::uint64_t have = (*hosts.begin())->shmBytes;
    const std::uint64_t need = sharedBytesNeeded(buckets, placement.ranks.size());
    if (have < need) return Transport{"tcp", "/dev/shm has " + formatBytes(have) + " and " + formatBytes(need) + " are needed"};
    return Transport{"shm", "all ranks are on one host"};
}

std::string lowestIsa(const Placement& placement, const cluster::Inventory& inventory) {
    std::string isa;
    for (const cluster::HostFacts* facts : placement.facts) {
        if (facts != nullptr) isa = isa.empty() ? facts->isa : lowerIsa(isa, facts->isa);
    }
    return isa.empty() ? inventory.hosts[0].isa : isa;
}

// Ranks of one host may share a processor; then each gets only a part of its time.
double coresOf(const Rank& rank, const std::vector<Rank>& ranks) {
    double cores = 0;
    for (const int processor : rank.cores) {
        int sharers = 0;
        for (const Rank& other : ranks) {
            const bool shares =
                other.host == rank.host && std::find(other.cores.begin(), other.cores.end(), processor) != other.cores.end();
            sharers += shares ? 1 : 0;
        }
        cores += 1.0 / std::max(1, sharers);
    }
    return rank.cores.empty() ? 1.0 : cores;
}

Forecast forecastOf(const Plan& plan, const StepEstimate& estimate, std::int64_t rows) {
    double slowest = 0;
    for (const Rank& rank : plan.ranks) slowest = std::max(slowest, estimate.seconds / coresOf(rank, plan.ranks));
    double communication = 0;
    for (const AllReduceChoice& choice : plan.allReduce) communication += allReduceSeconds(choice.bytes, plan.ranks.size(), plan.transport);
    Forecast forecast;
    forecast.stepSeconds = slowest + communication;
    if (forecast.stepSeconds > 0) forecast.samplesPerSecond = static_cast<double>(rows) / forecast.stepSeconds;
    return forecast;
}

// How many slices there are: each rank runs as many as the others.
Result<int> slicesOf(const spec::RunSpec& spec, std::size_t ranks) {
    const int wanted = spec.distribution.slices, replicas = static_cast<int>(ranks);
    const int slices = wanted == 0 ? replicas : wanted;
    if (slices < replicas)
        return makeError("S307", {{"where", "Plan"},
                                  {"what", "distribution.slices is " + std::to_string(slices) + " and there are " +
                                               std::to_string(replicas) + " replicas"},
                                  {"next", "Use auto, or at least one slice for each replica."}});
    if (slices % replicas != 0)
        return makeError("S307", {{"where", "Plan"},
                                  {"what", "distribution.slices is " + std::to_string(slices) + " and there are " +
                                               std::to_string(replicas) + " replicas, which would have different numbers of them"},
                                  {"next", "Use auto, or a multiple of the replicas."}});
    if (slices > replicas && spec.distribution.reduction == "keras")
        return makeError("S307", {{"where", "Plan"},
                                  {"what",
                                   "distribution.reduction: keras takes the mean of each replica's rows at once, and "
                                   "distribution.slices cuts them"},
                                  {"next", "Use distribution.reduction: rows, or distribution.slices: auto."}});
    const std::int64_t batch = spec.training.globalBatchSize;
    if (batch < slices) return makeError("S310", {{"where", "Plan"}, {"rows", std::to_string(batch)}, {"slices", std::to_string(slices)}});
    return slices;
}

// Rank 0 keeps checkpoints; the others are alike.
Result<void> sizeRanks(const Question& question, Plan& plan) {
    if (!question.sizer) return {};
    for (Rank& rank : plan.ranks) {
        const bool alike = rank.rank > 1 && rank.cores.size() == plan.ranks[1].cores.size();
        if (alike) {
            rank.bytes = plan.ranks[1].bytes;
            continue;
        }
        LS_TRY_ASSIGN(rank.bytes, question.sizer(question.spec, plan, rank.rank, question.data));
    }
    return {};
}

// The smallest step that computes no activation more than once again.
Result<std::vector<RecomputeCut>> onceAgain(const Question& question, const Plan& plan) {
    LS_TRY_ASSIGN(const auto ways, recomputeWays(question.spec, question.data, shapeOf(plan), {plan.isa, question.bfloat16}));
    std::vector<RecomputeCut> best;
    for (const auto& way : ways) {
        if (!std::ranges::all_of(way.cuts, [](const passes::RecomputeCut& cut) { return cut.level == 1; })) continue;
        best = cutsOf(way);
    }
    return best;
}

}  // namespace

StepShape shapeOf(const Plan& plan) {
    const int passes = plan.memory.slicesApart ? plan.ranks.front().sliceCount : 1;
    return {plan.sliceRows, passes, plan.ranks.size() > 1, plan.memory};
}

std::vector<RecomputeCut> cutsOf(const passes::RecomputeChoice& choice) {
    std::vector<RecomputeCut> cuts;
    for (const auto& cut : choice.cuts) cuts.push_back({cut.after, cut.level});
    return cuts;
}

Memory memoryAsked(const spec::RunSpec& spec) {
    Memory memory;
    memory.limit = spec.training.memoryLimit;
    if (!isAutomatic(spec))
        for (const std::string& layer : spec.training.recompute) memory.recompute.push_back({layer, 1});
    return memory;
}

Result<Plan> planWith(const Question& question, const Memory& memory) {
    const spec::RunSpec& spec = question.spec;
    LS_TRY(spec::checkMonitors(spec, question.data.validationRows > 0));
    LS_TRY_ASSIGN(Placement placement, place(spec, question.inventory));
    LS_TRY_ASSIGN(const int slices, slicesOf(spec, placement.ranks.size()));
    const std::int64_t batch = spec.training.globalBatchSize;

    Plan plan;
    plan.run = question.run;
    plan.specHash = spec::specHash(spec);
    plan.strategy = spec.strategy;
    plan.reduction = spec.distribution.reduction;
    plan.isa = lowestIsa(placement, question.inventory);
    plan.sliceTotal = slices;
    plan.sliceRows = (batch + slices - 1) / slices;
    plan.data = question.data;
    plan.memory = memory;
    plan.memory.slicesApart = slices > static_cast<int>(placement.ranks.size());
    plan.tasks = placement.tasks;
    plan.ranks = placement.ranks;
    const int each = slices / static_cast<int>(plan.ranks.size());
    for (Rank& rank : plan.ranks) {
        rank.firstSlice = each * rank.rank;
        rank.sliceCount = each;
    }
    if (isAutomatic(spec) && memory.recompute.empty()) {
        LS_TRY_ASSIGN(plan.memory.recompute, onceAgain(question, plan));
    }
    LS_TRY_ASSIGN(const StepEstimate estimate, estimateStep(spec, question.data, shapeOf(plan), {plan.isa, question.bfloat16}));
    LS_TRY_ASSIGN(const Transport transport, chooseTransport(spec, placement, estimate.buckets));
    LS_TRY(checkAddresses(placement, transport));

    for (Rank& rank : plan.ranks) {
        rank.bytes = estimate.bytes;
        if (rank.rank > 0) rank.bytes.checkpoint = 0;
    }
    plan.transport = transport.name;
    for (const std::uint64_t bytes : estimate.buckets)
        plan.allReduce.push_back({bytes, transport.name == "shm" ? "shm" : "ring", transport.why});
    LS_TRY(sizeRanks(question, plan));
    plan.forecast = forecastOf(plan, estimate, batch * spec.training.accumulation);
    return plan;
}

Result<Plan> makePlan(const spec::RunSpec& spec, const cluster::Inventory& inventory, const std::string& run, const DataFacts& data,
                      const Sizer& sizer) {
    const Question question{spec, inventory, run, data, sizer};
    LS_TRY_ASSIGN(Plan plan, planWith(question, memoryAsked(spec)));
    if (!spec.training.memoryLimit) return plan;
    const std::uint64_t limit = *spec.training.memoryLimit;
    if (bytesOf(plan).total() <= limit) return plan;
    LS_TRY_ASSIGN(const Ladder ladder, climb(question, limit, Climb::ToTheFirstThatFits));
    if (!ladder.chosen) return doesNotFit(ladder);
    const Rung& rung = ladder.rungs[*ladder.chosen];
    Plan chosen = rung.plan;
    chosen.specHash = plan.specHash;
    chosen.memory.why = rung.remedy + ": " + rung.what + "; " + formatBytes(rung.bytes.total()) + " instead of " +
                        formatBytes(bytesOf(plan).total()) + " for training.memory_limit " + formatBytes(limit);
    return chosen;
}

}  // namespace lockstep::plan
