#include "placement.h"

#include <spec/tf_config.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>
#include <set>

namespace lockstep::plan {
namespace {

// One host entry on its way to a task.
struct Entry {
    std::string name;
    std::string address;  // host part
    std::string listen;   // "host:port"; empty under MirroredStrategy
    std::string type = "worker";
    std::vector<std::string> devices;
    const cluster::HostFacts* facts = nullptr;
    std::string machine;  // entries with the same one share their processors
};

constexpr int kMostDevices = 1024;

bool isLoopback(const std::string& address) { return address == "localhost" || address.starts_with("127.") || address == "::1"; }

bool isMultiWorker(const spec::RunSpec& spec) { return spec.strategy == spec::Strategy::MultiWorkerMirrored; }

Error badValue(const std::string& key, const std::string& expected, const std::string& found) {
    return makeError("S304", {{"where", "Plan"}, {"key", key}, {"expected", expected}, {"found", found}});
}

Error contradiction(std::string what, std::string next) {
    return makeError("S307", {{"where", "Plan"}, {"what", std::move(what)}, {"next", std::move(next)}});
}

const cluster::HostFacts* findFacts(const cluster::Inventory& inventory, const std::string& name, const std::string& address) {
    for (const cluster::HostFacts& facts : inventory.hosts) {
        if (!name.empty() && facts.name == name) return &facts;
    }
    for (const cluster::HostFacts& facts : inventory.hosts) {
        const bool here = isLoopback(address) && isLoopback(facts.address);
        if (here || facts.address == address || facts.hostname == address) return &facts;
    }
    return nullptr;
}

std::string hostAndPort(const std::string& host, int port) {
    const bool v6 = host.find(':') != std::string::npos;
    return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Result<std::vector<Entry>> entriesOfHosts(const spec::RunSpec& spec, const cluster::Inventory& inventory) {
    std::vector<spec::HostSpec> hosts = spec.cluster.hosts;
    if (hosts.empty()) {
        hosts.emplace_back();
        hosts[0].name = inventory.hosts[0].name;
        hosts[0].address = inventory.hosts[0].address;
    }
    // TensorFlow's order of ranks: the chief before the workers.
    std::stable_partition(hosts.begin(), hosts.end(), [](const spec::HostSpec& host) { return host.roles[0] == "chief"; });
    std::vector<Entry> entries;
    for (const spec::HostSpec& host : hosts) {
        Entry entry{host.name, host.address, "", host.roles[0], host.devices, findFacts(inventory, host.name, host.address), ""};
        if (entry.facts == nullptr) {
            return makeError("X009", {{"what", "Host \"" + host.name + "\" at " + host.address},
                                      {"why", "It is another computer, and this build starts ranks on this one only."},
                                      {"next", "Start its worker by hand with TF_CONFIG (lockstep worker SPEC)."}});
        }
        if (isMultiWorker(spec)) {
            const int port = spec.cluster.portBase + static_cast<int>(entries.size());
            if (port > 65535)
                return badValue("cluster.port_base", "low enough for " + std::to_string(hosts.size()) + " ports",
                                std::to_string(spec.cluster.portBase));
            entry.listen = hostAndPort(host.address, port);
        }
        entry.machine = entry.facts->name + "\n" + entry.facts->address;
        entries.push_back(std::move(entry));
    }
    return entries;
}

std::string hostOf(const std::string& listen) {
    std::string host = listen.substr(0, listen.rfind(':'));
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    return host;
}

Result<std::vector<Entry>> entriesOfCluster(const std::string& text, const cluster::Inventory& inventory) {
    LS_TRY_ASSIGN(const spec::TfCluster cluster, spec::parseCluster(text));
    std::vector<Entry> entries;
    std::map<std::string, int> devicesOfMachine;
    for (const char* job : {"chief", "worker"}) {
        const spec::JobAddresses* addresses = cluster.find(job);
        if (addresses == nullptr) continue;
        for (const auto& [index, listen] : addresses->tasks) {
            Entry entry;
            entry.type = job;
            entry.listen = listen;
            entry.address = hostOf(listen);
            entry.name = entry.address;
            entry.facts = findFacts(inventory, "", entry.address);
            entry.machine = entry.facts != nullptr ? entry.facts->name + "\n" + entry.facts->address : entry.address;
            entry.devices = {"cpu:" + std::to_string(devicesOfMachine[entry.machine]++)};
            entries.push_back(std::move(entry));
        }
    }
    if (entries.empty()) return contradiction("the cluster lists neither chief nor worker", "Add the workers.");
    for (const char* job : {"ps", "evaluator"}) {
        const spec::JobAddresses* addresses = cluster.find(job);
        if (addresses == nullptr || addresses->tasks.empty()) continue;
        return makeError("X009", {{"what", "A cluster with " + std::string(job) + " tasks"},
                                  {"why", "Only chief and worker take part in MultiWorkerMirroredStrategy."},
                                  {"next", "Remove " + std::string(job) + " from the cluster."}});
    }
    return entries;
}

Result<int> cpuNumber(const std::string& device) {
    const std::size_t colon = device.find(':');
    const std::string kind = device.substr(0, colon);
    int number = -1;
    if (colon != std::string::npos) {
        const auto [end, problem] = std::from_chars(device.data() + colon + 1, device.data() + device.size(), number);
        if (problem != std::errc() || end != device.data() + device.size()) number = -1;
    }
    if (kind.empty() || number < 0 || number >= kMostDevices)
        return badValue("cluster.hosts[].devices", "a kind and a number such as cpu:0", "\"" + device + "\"");
    if (kind != "cpu") return makeError("D205", {{"kind", kind}, {"kinds", "cpu"}});
    return number;
}

// The cpu numbers asked of each machine, over all entries.
using DevicesOfMachine = std::map<std::string, std::set<int>>;

Result<DevicesOfMachine> collectDevices(const std::vector<Entry>& entries) {
    DevicesOfMachine devices;
    for (const Entry& entry : entries) {
        for (const std::string& device : entry.devices) {
            LS_TRY_ASSIGN(const int number, cpuNumber(device));
            if (!devices[entry.machine].insert(number).second) {
                return contradiction(device + " of " + entry.address + " is named twice",
                                     "Name another one for each replica: cpu:0, cpu:1, ... (set cluster.hosts[].devices).");
            }
        }
    }
    return devices;
}

Result<void> checkDevices(const Entry& entry, const std::set<int>& numbers, bool oversubscribe) {
    if (entry.facts == nullptr || oversubscribe) return {};
    const std::size_t cores = entry.facts->processors.size();
    if (numbers.size() > cores) {
        return makeError("D204", {{"count", std::to_string(numbers.size())}, {"host", entry.name}, {"cores", std::to_string(cores)}});
    }
    if (static_cast<std::size_t>(*numbers.rbegin()) < cores) return {};
    const std::string all = cores == 1 ? "cpu:0" : "cpu:0 to cpu:" + std::to_string(cores - 1);
    return makeError("D203", {{"device", "cpu:" + std::to_string(*numbers.rbegin())}, {"host", entry.name}, {"devices", all}});
}

Task makeTask(const Entry& entry, int index) {
    Task task;
    task.type = entry.type;
    task.index = index;
    task.address = entry.listen;
    return task;
}

void writeTfConfigs(std::vector<Task>& tasks) {
    spec::TfCluster cluster;
    for (const Task& task : tasks) {
        if (cluster.jobs.empty() || cluster.jobs.back().job != task.type) cluster.jobs.push_back({task.type, {}, false});
        cluster.jobs.back().tasks.emplace_back(task.index, task.address);
    }
    for (Task& task : tasks) task.tfConfig = spec::printTfConfig(cluster, {task.type, task.index});
}

Result<void> checkCounts(const spec::RunSpec& spec, const std::vector<Entry>& entries) {
    const std::string name(nameOf(spec.strategy));
    if (isMultiWorker(spec)) return {};
    if (entries.size() != 1)
        return contradiction(name + " runs on one host, and there are " + std::to_string(entries.size()),
                             "Use MultiWorkerMirroredStrategy or name one host.");
    if (spec.strategy == spec::Strategy::OneDevice && entries[0].devices.size() != 1) {
        return contradiction(name + " takes one device, and " + std::to_string(entries[0].devices.size()) + " are named",
                             "Use MirroredStrategy or name one device.");
    }
    return {};
}

}  // namespace

std::vector<int> shareOf(const cluster::HostFacts& facts, std::size_t place, std::size_t count) {
    const std::size_t all = facts.processors.size();
    if (all == 0 || count == 0) return {};
    std::vector<std::size_t> order(all);
    std::iota(order.begin(), order.end(), std::size_t(0));
    if (facts.coreOf.size() == all) {
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return facts.coreOf[a] < facts.coreOf[b]; });
    }
    // The slowest rank decides the pace, so each gets the same number; what is left over serves the rest of the program.
    const std::size_t share = std::max<std::size_t>(1, all / count);
    std::vector<int> processors;
    for (std::size_t i = 0; i < share; ++i) processors.push_back(facts.processors[order[(place * share + i) % all]]);
    std::sort(processors.begin(), processors.end());
    return processors;
}

Result<Placement> place(const spec::RunSpec& spec, const cluster::Inventory& inventory) {
    if (inventory.hosts.empty()) return makeError("X001", {{"what", "a plan needs the facts of at least one host"}});
    const bool given = spec.cluster.tfConfig.has_value();
    LS_TRY_ASSIGN(const std::vector<Entry> entries,
                  given ? entriesOfCluster(*spec.cluster.tfConfig, inventory) : entriesOfHosts(spec, inventory));
    LS_TRY(checkCounts(spec, entries));
    LS_TRY_ASSIGN(const DevicesOfMachine devices, collectDevices(entries));

    Placement placement;
    std::map<std::string, int> indexOfType;
    for (const Entry& entry : entries) {
        const std::set<int>& numbers = devices.at(entry.machine);
        LS_TRY(checkDevices(entry, numbers, spec.cluster.oversubscribe));
        placement.tasks.push_back(makeTask(entry, indexOfType[entry.type]++));
        for (const std::string& device : entry.devices) {
            Rank rank;
            rank.rank = static_cast<int>(placement.ranks.size());
            rank.task = static_cast<int>(placement.tasks.size()) - 1;
            rank.host = entry.name;
            rank.device = device;
            LS_TRY_ASSIGN(const int number, cpuNumber(device));
            const auto nth = static_cast<std::size_t>(std::distance(numbers.begin(), numbers.find(number)));
            if (entry.facts != nullptr) rank.cores = shareOf(*entry.facts, nth, numbers.size());
            placement.ranks.push_back(std::move(rank));
            placement.facts.push_back(entry.facts);
        }
    }
    if (isMultiWorker(spec)) writeTfConfigs(placement.tasks);
    return placement;
}

}  // namespace lockstep::plan
