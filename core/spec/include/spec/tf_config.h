// TF_CONFIG: parse with positions, check like TensorFlow and harder, make per-task texts from a cluster. Values, thread safe.
#pragma once

#include <base/result.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::spec {

// A job's addresses. TensorFlow accepts a list or a map from index to address; both are kept as (index, address).
struct JobAddresses {
    std::string job;                                          // "worker", "chief", "ps", "evaluator"
    std::vector<std::pair<std::int64_t, std::string>> tasks;  // ascending index
    bool sparse = false;                                      // written as an index map
    bool operator==(const JobAddresses&) const = default;
};

struct TfCluster {
    std::vector<JobAddresses> jobs;  // in order of the text
    const JobAddresses* find(std::string_view job) const;
    bool operator==(const TfCluster&) const = default;
};

struct TfTask {
    std::string type;
    std::int64_t index = 0;
    bool operator==(const TfTask&) const = default;
};

struct TfConfig {
    TfCluster cluster;
    std::optional<TfTask> task;
    bool operator==(const TfConfig&) const = default;
};

// A TF_CONFIG that can be used as it is: the first finding of severity error (see checkTfConfigs, without context) is the Error.
// Bounded: 1 MiB, depth 16.
Result<TfConfig> parseTfConfig(std::string_view text);

// The cluster alone: `{"worker": […]}`, or a whole TF_CONFIG whose task is ignored. Errors T3xx.
Result<TfCluster> parseCluster(std::string_view text);

// Canonical text: {"cluster":{"worker":["a:1","b:2"]},"task":{"type":"worker","index":0}}
std::string printTfConfig(const TfCluster& cluster, const TfTask& task);

// --- The checker -------------------------------------------------------------------------------------------------------------

// One process that would be started: the machine and the text of its TF_CONFIG (none: the variable is not set).
struct TaskConfig {
    std::string machine;
    std::optional<std::string> text;
};

struct Listener {
    int port = 0;
    int pid = 0;
    std::string user;
    std::string command;
};

struct Machine {
    std::string name;
    std::vector<std::string> addresses;              // that its name resolves to
    std::optional<int> devices;                      // unknown: not checked
    std::map<std::string, std::string> environment;  // http_proxy, no_proxy, …
    std::vector<Listener> listening;                 // ports in use
};

// What is known of the world around the texts. Everything may be empty: then only what the texts alone decide is checked.
struct CheckContext {
    std::string strategy = "MultiWorkerMirroredStrategy";
    std::string tensorflowVersion;  // "2.21.0"
    std::string kerasVersion;       // "3.12.0"; empty: not checked
    std::vector<Machine> machines;
    std::map<std::string, std::string> aliases;                // another name of an address
    std::map<std::string, std::map<std::string, bool>> reach;  // from machine → "host:port" → can connect
    bool singleHost = false;                                   // a run on one host was asked for
    bool partial = false;                                      // others start the tasks that are missing here
};

enum class Severity : std::uint8_t { Ok, Warn, Error };
std::string_view nameOf(Severity severity);  // "ok", "warn", "error"

struct Finding {
    std::string code;
    Severity severity = Severity::Error;
    int task = -1;   // place in the list of configurations; -1: not about one
    int line = 0;    // 1-based, 0 = no place
    int column = 0;  // in characters
    std::string message;
    std::string next;
};

struct CheckReport {
    Severity verdict = Severity::Ok;  // the worst finding
    std::vector<Finding> findings;    // by task, line, column
};

CheckReport checkTfConfigs(const std::vector<TaskConfig>& configs, const CheckContext& context = {});

// One case of a case file (fields tasks and context as in tests/fixtures/tf_config/cases.json). Error T303 names the place, T325 the key.
struct CheckCase {
    std::vector<TaskConfig> configs;
    CheckContext context;
};
Result<CheckCase> parseCheckCase(std::string_view json);

}  // namespace lockstep::spec
