// One TF_CONFIG text as understood, with the places its parts came from, and where findings go.
#pragma once

#include "json_tree.h"

#include <spec/tf_config.h>

#include <initializer_list>
#include <map>
#include <set>

namespace lockstep::spec {

struct TfAddress {
    std::string host;  // without brackets
    int port = 0;
};

// host:port, [v6]:port. The error is T315 (port) or T316 (the rest); empty on success.
struct AddressReading {
    TfAddress address;
    std::string code;
    std::string what;
    std::size_t character = 1;
};
AddressReading readAddress(std::string_view text);

bool isLoopback(std::string_view host);

struct TfReading {
    bool given = false;  // the variable is set
    bool whole = false;  // JSON of the right shape throughout
    bool hasCluster = false;
    bool nearCluster = false;  // a key that looks like a misspelt "cluster"
    TfCluster cluster;
    std::optional<TfTask> task;  // type and index both known
    std::optional<std::string> type;
    bool indexUsable = false;  // the task is one of the cluster
    JsonPosition at;           // of the object
    JsonPosition clusterAt;
    JsonPosition taskAt;
    JsonPosition typeAt;
    JsonPosition indexAt;
    std::map<std::pair<std::string, std::int64_t>, JsonPosition> addressAt;
    std::map<std::string, JsonPosition> jobAt;
    std::set<std::string> badAddresses;  // already reported
};

// A finding and the error it becomes when it is the only answer.
struct TfFinding {
    Finding finding;
    Error error;
};

class TfFindings {
public:
    void add(std::string_view code, Severity severity, int task, JsonPosition at, std::initializer_list<ErrorArgument> arguments);
    // A finding without a place in a text.
    void add(std::string_view code, Severity severity, int task, std::initializer_list<ErrorArgument> arguments);
    std::vector<TfFinding> take();  // sorted by task, line, column
private:
    std::vector<TfFinding> m_all;
};

// "worker 1"
std::string labelOf(std::string_view type, std::int64_t index);

// Reads the text of configuration number `number`, reporting what that text alone decides.
TfReading readTfConfig(const TaskConfig& config, int number, const CheckContext& context, TfFindings& findings);

// What several texts together decide: T305, T306, T312, T326.
void compareConfigs(const std::vector<TaskConfig>& configs, const std::vector<TfReading>& readings, const CheckContext& context,
                    TfFindings& findings);

// What the machines decide: T301 (two names of one host), T302, T304, T321, T322, N401, N402.
void checkMachines(const std::vector<TaskConfig>& configs, const std::vector<TfReading>& readings, const CheckContext& context,
                   TfFindings& findings);

}  // namespace lockstep::spec
