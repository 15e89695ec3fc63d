// Questions before anything runs: is this specification right, where would it run, is this computer fit, is this TF_CONFIG right.
// Nothing here starts a rank or writes a file.
//
// Threads: any.
#pragma once

#include <api/run_commands.h>
#include <base/result.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep::api {

struct SpecView {
    std::string name;
    std::string strategy;
    std::string hash;                        // of the parts that decide the numbers
    std::string resolved;                    // YAML with every key
    std::vector<std::string> warnings = {};  // what is legal, but risky: a sentence each
};

// What a specification is about, in a line of a list; only its text is looked at.
struct SpecSummary {
    std::string name;
    std::string strategy;
    std::string model;    // "cnn", "12 layers", "digits.keras"
    std::string dataset;  // "mnist"
    int devices = 0;      // 0: the computer it runs on decides
};

struct PlannedTask {
    std::string type;
    int index = 0;
    std::string address;
    std::string tfConfig;  // JSON, empty when the strategy needs none
};

struct PlannedRank {
    int rank = 0;
    int task = 0;
    std::string host;
    std::string device;
    std::vector<int> cores;
    int slices = 0;
    std::uint64_t bytes = 0;
};

struct PlanView {
    std::string json;  // plan.json on one line
    std::string text;  // for a terminal
    std::vector<PlannedTask> tasks;
    std::vector<PlannedRank> ranks;
    double stepSeconds = 0;  // forecast
    double samplesPerSecond = 0;
};

// Remedies against too little memory (plan/ladder.h).
struct MemoryLadderView {
    std::string json;
    std::string text;   // a table for a terminal
    bool fits = false;  // one of them fits and leaves the update as it is
};

enum class CheckStatus : std::uint8_t { Pass, Warn, Fail, Skipped };
std::string_view nameOfStatus(CheckStatus status);  // "pass", "warn", "fail", "skipped"

struct DoctorLine {
    std::string name;  // stable: "processor", "memory", "shared_memory", …
    CheckStatus status{};
    std::string found;
    std::string why;  // Warn and Fail: why it matters
    std::string fix;  // Warn and Fail: what to do
};

struct DoctorReport {
    CheckStatus worst{};  // Skipped counts as Pass
    std::vector<DoctorLine> lines;
    int exitCode = 0;  // 4 with a Fail
};

enum class Verdict : std::uint8_t { Ok, Warning, Error };
std::string_view nameOfVerdict(Verdict verdict);  // "ok", "warn", "error"

struct Finding {
    std::string code;
    Verdict severity{};
    std::string machine;  // whose TF_CONFIG it is, when named
    int task = -1;        // place in the list of TF_CONFIG texts; -1 = not about one
    int line = 0;         // in the text that was checked; 0 = none
    int column = 0;
    std::string message;
    std::string next;
};

struct TfConfigReport {
    Verdict verdict{};  // the worst of the findings
    std::vector<Finding> findings;
    int exitCode = 0;
};

struct DeviceView {
    std::string id;  // "cpu:0"
    std::string kind;
    std::string name;
    int cores = 0;
    std::uint64_t memoryBytes = 0;
    std::uint64_t availableBytes = 0;
};

struct HostView {
    std::string name;
    std::string address;
    std::string system;
    std::string processor;
    std::string isa;
    int cores = 0;
    int physicalCores = 0;
    std::uint64_t memoryBytes = 0;
    std::uint64_t availableBytes = 0;
    std::uint64_t shmBytes = 0;
    std::uint64_t diskFreeBytes = 0;
    std::vector<DeviceView> devices;
};

struct TfConfigQuery {
    std::vector<std::pair<std::string, std::filesystem::path>> hosts;  // name and file with that host's TF_CONFIG
    std::filesystem::path caseFile;                                    // or one case: tasks and context in one object
    std::string text;                                                  // or this TF_CONFIG alone
};

class Checks {
public:
    virtual ~Checks() = default;
    virtual Result<SpecSummary> describe(const SpecSource& spec) const = 0;
    virtual Result<SpecView> validate(const SpecSource& spec) const = 0;
    virtual Result<PlanView> plan(const SpecSource& spec) const = 0;
    // What would make each rank of it fit into `bytes`.
    virtual Result<MemoryLadderView> fitMemory(const SpecSource& spec, std::uint64_t bytes) const = 0;
    virtual Result<DoctorReport> doctor() const = 0;
    virtual Result<HostView> thisHost() const = 0;
    virtual Result<TfConfigReport> tfConfig(const TfConfigQuery& query) const = 0;
};

}  // namespace lockstep::api
