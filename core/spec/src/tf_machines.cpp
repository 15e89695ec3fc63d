#include "tf_reading.h"

#include <algorithm>

namespace lockstep::spec {
namespace {

struct Place {
    std::string job;
    std::int64_t index = 0;
    std::string text;  // "h1:2222"
    TfAddress address;
    JsonPosition at;
};

class MachineChecker {
public:
    MachineChecker(const std::vector<TaskConfig>& configs, const std::vector<TfReading>& readings, const CheckContext& context,
                   TfFindings& findings)
        : m_configs(configs), m_readings(readings), m_context(context), m_findings(findings) {
        for (const TaskConfig& config : configs) m_hosts.insert(config.machine);
    }

    void check() {
        for (std::size_t i = 0; i < m_readings.size(); ++i) {
            const std::vector<Place> places = placesOf(m_readings[i]);
            const std::string& machine = m_configs[i].machine;
            checkDuplicates(static_cast<int>(i), places);
            checkLoopback(static_cast<int>(i), machine, places);
            if (!isFirstOfMachine(i)) continue;
            checkProxy(static_cast<int>(i), machine, places);
            checkReach(static_cast<int>(i), machine, places);
        }
        for (std::size_t i = 0; i < m_readings.size(); ++i) checkPort(static_cast<int>(i));
        checkDevices();
        checkKeras();
    }

private:
    std::vector<Place> placesOf(const TfReading& reading) const {
        std::vector<Place> places;
        for (const JobAddresses& job : reading.cluster.jobs) {
            for (const auto& [index, text] : job.tasks) {
                const AddressReading address = readAddress(text);
                if (!address.code.empty()) continue;
                const auto at = reading.addressAt.find({job.job, index});
                places.push_back({job.job, index, text, address.address, at == reading.addressAt.end() ? reading.clusterAt : at->second});
            }
        }
        return places;
    }

    bool isFirstOfMachine(std::size_t number) const {
        for (std::size_t i = 0; i < number; ++i) {
            if (m_configs[i].machine == m_configs[number].machine) return false;
        }
        return true;
    }

    const Machine* machineNamed(std::string_view name) const {
        const auto found =
            std::find_if(m_context.machines.begin(), m_context.machines.end(), [&](const Machine& m) { return m.name == name; });
        return found == m_context.machines.end() ? nullptr : &*found;
    }

    // The machine an address leads to, seen from `from`.
    const Machine* machineAt(const std::string& host, const std::string& from) const {
        if (isLoopback(host)) return machineNamed(from);
        if (const Machine* named = machineNamed(host)) return named;
        const auto alias = m_context.aliases.find(host);
        const std::string& wanted = alias == m_context.aliases.end() ? host : alias->second;
        for (const Machine& machine : m_context.machines) {
            const auto& list = machine.addresses;
            if (machine.name == wanted || std::find(list.begin(), list.end(), wanted) != list.end()) return &machine;
        }
        return nullptr;
    }

    std::string identityOf(const std::string& host) const {
        if (isLoopback(host)) return "localhost";
        const Machine* machine = machineAt(host, "");
        return machine == nullptr ? host : machine->name;
    }

    // The same list is in every text; the first one that has it reports.
    bool seen(const std::string& key) { return !m_seen.insert(key).second; }

    void checkDuplicates(int number, const std::vector<Place>& places) {
        std::map<std::pair<std::string, int>, const Place*> owners;
        for (const Place& place : places) {
            const auto [owner, fresh] = owners.try_emplace({identityOf(place.address.host), place.address.port}, &place);
            if (fresh) continue;
            const Place& first = *owner->second;
            const std::string task = labelOf(first.job, first.index);
            const std::string task2 = labelOf(place.job, place.index);
            if (seen("T301" + task + task2 + place.text)) continue;
            const std::string address = first.text == place.text ? place.text : first.text + ", which is " + place.text;
            m_findings.add("T301", Severity::Error, number, place.at, {{"task", task}, {"task2", task2}, {"address", address}});
        }
    }

    void checkLoopback(int number, const std::string& machine, const std::vector<Place>& places) {
        std::set<std::string> elsewhere;  // hosts of the cluster besides this one
        for (const Place& place : places) {
            if (isLoopback(place.address.host)) continue;
            const std::string identity = identityOf(place.address.host);
            if (identity != machine) elsewhere.insert(identity);
        }
        std::size_t hosts = elsewhere.size() + 1;
        hosts = std::max(hosts, m_hosts.size());
        if (hosts < 2) return;
        const Machine* own = machineNamed(machine);
        const std::string better = own != nullptr && !own->addresses.empty() ? own->addresses.front() : "the host's name or address";
        for (const Place& place : places) {
            if (!isLoopback(place.address.host) || seen("T302" + labelOf(place.job, place.index))) continue;
            m_findings.add("T302", Severity::Error, number, place.at,
                           {{"n", std::to_string(hosts)}, {"address", place.text}, {"better", better}});
        }
    }

    static std::string variable(const Machine& machine, std::initializer_list<const char*> names) {
        for (const char* name : names) {
            const auto found = machine.environment.find(name);
            if (found != machine.environment.end() && !found->second.empty()) return found->second;
        }
        return {};
    }

    // gRPC's rule: an entry exempts a host that ends with it.
    static bool isExempt(const std::string& host, const std::string& list) {
        std::size_t begin = 0;
        while (begin <= list.size()) {
            const std::size_t end = std::min(list.find(',', begin), list.size());
            std::string entry = list.substr(begin, end - begin);
            entry.erase(std::remove(entry.begin(), entry.end(), ' '), entry.end());
            if (!entry.empty() && host.ends_with(entry)) return true;
            begin = end + 1;
        }
        return false;
    }

    void checkProxy(int number, const std::string& machine, const std::vector<Place>& places) {
        const Machine* own = machineNamed(machine);
        if (own == nullptr) return;
        const std::string proxy = variable(*own, {"grpc_proxy", "https_proxy", "http_proxy"});
        if (proxy.empty()) return;
        const std::string exempt = variable(*own, {"no_grpc_proxy", "no_proxy"});
        const auto& task = m_readings[static_cast<std::size_t>(number)].task;
        for (const Place& place : places) {
            const bool self = task && task->type == place.job && task->index == place.index;
            if (self || isExempt(place.address.host, exempt)) continue;
            m_findings.add("N402", Severity::Error, number, place.at,
                           {{"host", machine}, {"address", place.text}, {"proxy", proxy}, {"name", place.address.host}});
        }
    }

    void checkReach(int number, const std::string& machine, const std::vector<Place>& places) {
        const auto from = m_context.reach.find(machine);
        if (from == m_context.reach.end()) return;
        for (const Place& place : places) {
            const auto answer = from->second.find(place.text);
            if (answer == from->second.end() || answer->second) continue;
            std::string others;
            for (const auto& [name, row] : m_context.reach) {
                const auto other = row.find(place.text);
                if (other != row.end() && other->second) others = " (" + name + " can)";
            }
            m_findings.add("N401", Severity::Error, number, place.at, {{"task", machine}, {"address", place.text}, {"others", others}});
        }
    }

    void checkPort(int number) {
        const TfReading& reading = m_readings[static_cast<std::size_t>(number)];
        if (!reading.task || !reading.hasCluster) return;
        for (const Place& place : placesOf(reading)) {
            if (place.job != reading.task->type || place.index != reading.task->index) continue;
            const Machine* machine = machineNamed(m_configs[static_cast<std::size_t>(number)].machine);
            if (machine == nullptr) return;
            for (const Listener& listener : machine->listening) {
                if (listener.port != place.address.port) continue;
                m_findings.add("T322", Severity::Error, number, place.at,
                               {{"address", place.text},
                                {"command", listener.command},
                                {"pid", std::to_string(listener.pid)},
                                {"user", listener.user}});
            }
        }
    }

    void checkDevices() {
        if (m_context.strategy != "MultiWorkerMirroredStrategy") return;
        std::optional<std::size_t> first;
        for (std::size_t i = 0; i < m_readings.size(); ++i) {
            const auto& task = m_readings[i].task;
            const Machine* machine = machineNamed(m_configs[i].machine);
            const bool trains = task && m_readings[i].hasCluster && (task->type == "worker" || task->type == "chief");
            if (!trains || machine == nullptr || !machine->devices) continue;
            if (!first) first = i;
            const Machine* other = machineNamed(m_configs[*first].machine);
            if (*other->devices == *machine->devices || seen("T321" + machine->name)) continue;
            m_findings.add("T321", Severity::Error, static_cast<int>(i),
                           {{"host", other->name},
                            {"a", std::to_string(*other->devices)},
                            {"host2", machine->name},
                            {"b", std::to_string(*machine->devices)},
                            {"min", std::to_string(std::min(*other->devices, *machine->devices))}});
        }
    }

    void checkKeras() {
        const bool tooNew = !m_context.kerasVersion.empty() && m_context.kerasVersion[0] >= '3';
        if (tooNew && m_context.strategy == "MultiWorkerMirroredStrategy")
            m_findings.add("T304", Severity::Error, -1, {{"version", m_context.kerasVersion}});
    }

    const std::vector<TaskConfig>& m_configs;
    const std::vector<TfReading>& m_readings;
    const CheckContext& m_context;
    TfFindings& m_findings;
    std::set<std::string> m_hosts;
    std::set<std::string> m_seen;
};

}  // namespace

void checkMachines(const std::vector<TaskConfig>& configs, const std::vector<TfReading>& readings, const CheckContext& context,
                   TfFindings& findings) {
    MachineChecker(configs, readings, context, findings).check();
}

}  // namespace lockstep::spec
