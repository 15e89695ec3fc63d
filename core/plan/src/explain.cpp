#include "plan_with.h"

#include <base/units.h>
#include <plan/ladder.h>
#include <plan/plan.h>

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::plan {
namespace {

// Processors 0, 1, 2, 5 as "0-2,5".
std::string ranges(const std::vector<int>& numbers) {
    if (numbers.empty()) return "its own";
    std::string out;
    for (std::size_t i = 0; i < numbers.size();) {
        std::size_t last = i;
        while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
        out += (out.empty() ? "" : ",") + std::to_string(numbers[i]);
        if (last > i) out += "-" + std::to_string(numbers[last]);
        i = last + 1;
    }
    return out;
}

std::string rankTable(const Plan& plan) {
    std::size_t host = 4;
    for (const Rank& rank : plan.ranks) host = std::max(host, rank.host.size());
    std::string out = fmt::format("{:>4}  {:<10}  {:<{}}  {:<7}  {:<10}  {:<7}  {}\n", "rank", "task", "host", host, "device", "processors",
                                  "slices", "memory");
    for (const Rank& rank : plan.ranks) {
        const Task& task = plan.tasks[static_cast<std::size_t>(rank.task)];
        std::vector<int> slices;
        for (int i = 0; i < rank.sliceCount; ++i) slices.push_back(rank.firstSlice + i);
        out += fmt::format("{:>4}  {:<10}  {:<{}}  {:<7}  {:<10}  {:<7}  {}\n", rank.rank, task.type + " " + std::to_string(task.index),
                           rank.host, host, rank.device, ranges(rank.cores), ranges(slices), formatBytes(rank.bytes.total()));
    }
    return out;
}

std::string memoryText(const Plan& plan) {
    std::string out = (plan.ranks.size() == 1 ? "Above an idle process the rank holds " : "Above an idle process rank 0 holds ") +
                      bytesInWords(plan.ranks[0].bytes) + ".\n";
    if (!plan.memory.recompute.empty()) {
        out += "Computed again in the backward pass is what lies between";
        for (const RecomputeCut& cut : plan.memory.recompute)
            out += " " + cut.after + (cut.level > 1 ? " (level " + std::to_string(cut.level) + ")" : "");
        out += ".\n";
    }
    if (plan.memory.slicesApart) out += "The slices of a batch run one after the other.\n";
    if (!plan.memory.why.empty()) out += "Chosen to fit: " + plan.memory.why + ".\n";
    return out;
}

std::string communicationText(const Plan& plan) {
    if (plan.allReduce.empty()) return "One rank: nothing is exchanged.\n";
    std::uint64_t bytes = 0;
    for (const AllReduceChoice& choice : plan.allReduce) bytes += choice.bytes;
    const std::string way = plan.transport == "shm" ? "summed in shared memory" : plan.allReduce[0].algorithm + " over TCP";
    return fmt::format("Gradients: {} per step in {}, {}: {}.\n", formatBytes(bytes), plural(std::ssize(plan.allReduce), "bucket"), way,
                       plan.allReduce[0].why);
}

}  // namespace

std::string plural(std::int64_t count, const std::string& word) { return std::to_string(count) + " " + word + (count == 1 ? "" : "s"); }

std::string explainPlan(const Plan& plan) {
    std::string out = fmt::format("{}: {} in {}, reduction {}, instruction set {}.\n", nameOf(plan.strategy),
                                  plural(std::ssize(plan.ranks), "rank"), plural(std::ssize(plan.tasks), "task"), plan.reduction, plan.isa);
    out += fmt::format("Every batch is cut into {} of {}.\n\n", plural(plan.sliceTotal, "slice"), plural(plan.sliceRows, "row"));
    out += rankTable(plan) + "\n";
    if (!plan.ranks.empty()) out += memoryText(plan);
    out += communicationText(plan);
    out +=
        fmt::format("Forecast: {} per step, {:.0f} samples/s (estimated from the work of a step and the instruction set, not measured).\n",
                    formatDuration(Seconds(plan.forecast.stepSeconds)), plan.forecast.samplesPerSecond);
    for (const Task& task : plan.tasks) {
        if (!task.tfConfig.empty())
            out += fmt::format("\nTF_CONFIG of {} {} ({}):\n  {}\n", task.type, task.index, task.address, task.tfConfig);
    }
    return out;
}

}  // namespace lockstep::plan
