#include "estimate.h"
#include "placement.h"

#include <base/units.h>
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

}  // namespace

Result<Plan> makePlan(const spec::RunSpec& spec, const cluster::Inventory& inventory, const std::string& run, const DataFacts& data) {
    LS_TRY_ASSIGN(Placement placement, place(spec, inventory));
    const auto slices = static_cast<std::int64_t>(placement.ranks.size());
    const std::int64_t batch = spec.training.globalBatchSize;
    if (batch < slices) return makeError("S310", {{"where", "Plan"}, {"rows", std::to_string(batch)}, {"slices", std::to_string(slices)}});

    Plan plan;
    plan.run = run;
    plan.specHash = spec::specHash(spec);
    plan.strategy = spec.strategy;
    plan.reduction = spec.distribution.reduction;
    plan.isa = lowestIsa(placement, inventory);
    plan.sliceTotal = static_cast<int>(slices);
    plan.sliceRows = (batch + slices - 1) / slices;
    LS_TRY_ASSIGN(const StepEstimate estimate, estimateStep(spec, data, plan.sliceRows, slices > 1, plan.isa));
    LS_TRY_ASSIGN(const Transport transport, chooseTransport(spec, placement, estimate.buckets));
    LS_TRY(checkAddresses(placement, transport));

    plan.tasks = std::move(placement.tasks);
    plan.ranks = std::move(placement.ranks);
    for (Rank& rank : plan.ranks) {
        rank.firstSlice = rank.rank;
        rank.sliceCount = 1;
        rank.bytes = estimate.bytes;
    }
    plan.transport = transport.name;
    for (const std::uint64_t bytes : estimate.buckets)
        plan.allReduce.push_back({bytes, transport.name == "shm" ? "shm" : "ring", transport.why});
    plan.forecast = forecastOf(plan, estimate, batch);
    return plan;
}

}  // namespace lockstep::plan
