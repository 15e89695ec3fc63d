#include "tf_reading.h"

#include <algorithm>

namespace lockstep::spec {
namespace {

// Processes that share a type and an index: all but one of them are wrong, so each is named at its own place.
void reportTwins(const std::vector<TaskConfig>& configs, const std::vector<TfReading>& readings, TfFindings& findings) {
    std::map<std::pair<std::string, std::int64_t>, std::vector<std::size_t>> owners;
    for (std::size_t i = 0; i < readings.size(); ++i) {
        if (readings[i].task && readings[i].hasCluster) owners[{readings[i].task->type, readings[i].task->index}].push_back(i);
    }
    for (const auto& [task, list] : owners) {
        if (list.size() < 2) continue;
        std::string hosts;
        for (const std::size_t i : list) hosts += (hosts.empty() ? "" : ", ") + configs[i].machine;
        const std::size_t last = list.back();
        findings.add("T305", Severity::Error, static_cast<int>(last), readings[last].indexAt,
                     {{"n", std::to_string(list.size())}, {"task", labelOf(task.first, task.second)}, {"hosts", hosts}});
    }
}

std::vector<std::string> sortedAddresses(const JobAddresses& job) {
    std::vector<std::string> addresses;
    for (const auto& [index, address] : job.tasks) addresses.push_back(address);
    std::sort(addresses.begin(), addresses.end());
    return addresses;
}

enum class Difference { None, Order, Content };

// A sparse list is only a part: what both lists name must agree.
Difference compareJobs(const JobAddresses& a, const JobAddresses& b) {
    if (a.sparse || b.sparse) {
        for (const auto& [index, address] : a.tasks) {
            for (const auto& [otherIndex, otherAddress] : b.tasks) {
                if (index == otherIndex && address != otherAddress) return Difference::Content;
            }
        }
        return Difference::None;
    }
    if (a.tasks == b.tasks) return Difference::None;
    return sortedAddresses(a) == sortedAddresses(b) ? Difference::Order : Difference::Content;
}

void compareClusters(const std::string& host, const TfReading& reading, int number, const std::string& firstHost, const TfReading& first,
                     TfFindings& findings) {
    std::string difference;
    for (const JobAddresses& job : reading.cluster.jobs) {
        const JobAddresses* other = first.cluster.find(job.job);
        if (other == nullptr) {
            difference = "only " + host + " lists " + job.job;
            continue;
        }
        const Difference kind = compareJobs(job, *other);
        if (kind == Difference::Content) difference = "their " + job.job + " lists differ";
        if (kind == Difference::Order) {
            const auto at = reading.jobAt.find(job.job);
            findings.add("T306", Severity::Error, number, at == reading.jobAt.end() ? reading.clusterAt : at->second,
                         {{"job", job.job}, {"host", host}, {"host2", firstHost}});
        }
    }
    for (const JobAddresses& job : first.cluster.jobs) {
        if (reading.cluster.find(job.job) == nullptr) difference = "only " + firstHost + " lists " + job.job;
    }
    if (difference.empty()) return;
    findings.add("T312", Severity::Error, number, reading.clusterAt, {{"host", host}, {"host2", firstHost}, {"difference", difference}});
}

void reportAbsentTasks(const std::vector<TfReading>& readings, TfFindings& findings) {
    std::set<std::pair<std::string, std::int64_t>> started;
    const TfReading* first = nullptr;
    for (const TfReading& reading : readings) {
        // Who can't be read or has no such task may be any of them, so nobody can be called absent.
        if (!reading.hasCluster || !reading.task || !reading.indexUsable) return;
        if (first == nullptr) first = &reading;
        started.insert({reading.task->type, reading.task->index});
    }
    if (first == nullptr) return;
    std::string missing;
    std::size_t listed = 0;
    for (const JobAddresses& job : first->cluster.jobs) {
        for (const auto& [index, address] : job.tasks) {
            ++listed;
            if (!started.contains({job.job, index})) missing += (missing.empty() ? "" : ", ") + labelOf(job.job, index);
        }
    }
    if (missing.empty()) return;
    findings.add("T326", Severity::Error, -1, {{"n", std::to_string(listed)}, {"m", std::to_string(readings.size())}, {"tasks", missing}});
}

}  // namespace

void compareConfigs(const std::vector<TaskConfig>& configs, const std::vector<TfReading>& readings, const CheckContext& context,
                    TfFindings& findings) {
    reportTwins(configs, readings, findings);
    std::optional<std::size_t> first;
    for (std::size_t i = 0; i < readings.size(); ++i) {
        if (!readings[i].hasCluster) continue;
        if (!first) {
            first = i;
            continue;
        }
        compareClusters(configs[i].machine, readings[i], static_cast<int>(i), configs[*first].machine, readings[*first], findings);
    }
    if (!context.partial) reportAbsentTasks(readings, findings);
}

}  // namespace lockstep::spec
