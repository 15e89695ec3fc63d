#include "tf_reading.h"

#include <spec/nearest.h>

#include <algorithm>
#include <charconv>

namespace lockstep::spec {
namespace {

const std::vector<std::string> kTopKeys = {"cluster", "task", "rpc_layer", "session_master", "environment"};
const std::vector<std::string> kTaskKeys = {"type", "index"};
const std::vector<std::string> kJobs = {"chief", "worker", "ps", "evaluator"};

bool isJob(std::string_view word) { return std::find(kJobs.begin(), kJobs.end(), word) != kJobs.end(); }
bool isMultiWorker(const CheckContext& context) { return context.strategy == "MultiWorkerMirroredStrategy"; }
bool isParameterServer(const CheckContext& context) { return context.strategy == "ParameterServerStrategy"; }

std::optional<std::int64_t> wholeNumber(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

class ConfigReader {
public:
    ConfigReader(int number, const CheckContext& context, TfFindings& findings)
        : m_number(number), m_context(context), m_findings(findings) {}

    TfReading read(const JsonNode& root) {
        m_reading.given = true;
        m_reading.whole = true;
        m_reading.at = root.at;
        if (!expect(root, JsonNode::Kind::Object, "TF_CONFIG", "an object")) return m_reading;
        reportRepeats(root);
        readTopKeys(root);
        if (const auto* cluster = root.find("cluster")) readCluster(*cluster);
        if (const auto* task = root.find("task")) readTask(*task);
        if (const auto* layer = root.find("rpc_layer")) readLayer(*layer);
        if (m_reading.whole) checkTaskAgainstCluster(root.find("task") != nullptr);
        if (m_reading.hasCluster) checkCluster();
        return m_reading;
    }

private:
    void report(std::string_view code, JsonPosition at, std::initializer_list<ErrorArgument> arguments,
                Severity severity = Severity::Error) {
        m_findings.add(code, severity, m_number, at, arguments);
    }

    bool expect(const JsonNode& node, JsonNode::Kind kind, const std::string& path, const std::string& expected) {
        if (node.kind == kind) return true;
        report("T325", node.at, {{"path", path}, {"expected", expected}, {"kind", std::string(node.kindName())}});
        m_reading.whole = false;
        return false;
    }

    void reportRepeats(const JsonNode& node) {
        std::set<std::string> seen;
        for (const JsonNode::Entry& entry : node.entries) {
            if (!seen.insert(entry.key).second) {
                report("T324", entry.at,
                       {{"key", entry.key}, {"line", std::to_string(entry.at.line)}, {"column", std::to_string(entry.at.column)}});
            }
            reportRepeats(entry.value);
        }
        for (const JsonNode& item : node.items) reportRepeats(item);
    }

    // An unknown key that looks like a known one, or stands where a needed one is missing, is taken for a mistake; TensorFlow
    // itself ignores every unknown key.
    void reportUnknown(const JsonNode& node, const std::vector<std::string>& known, std::size_t needed) {
        for (const JsonNode::Entry& entry : node.entries) {
            if (std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
            const auto nearest = nearestWord(entry.key, known);
            bool missing = false;
            for (std::size_t i = 0; i < needed; ++i) missing = missing || node.find(known[i]) == nullptr;
            if (nearest == "cluster") m_reading.nearCluster = true;
            if (nearest == "task" || nearest == "type" || nearest == "index") m_nearTask = true;
            const Severity severity = nearest || missing ? Severity::Error : Severity::Warn;
            report("T309", entry.at,
                   {{"key", entry.key},
                    {"hint", nearest ? " (did you mean \"" + *nearest + "\"?)" : ""},
                    {"why", nearest == "cluster" ? " Without \"cluster\" every process trains alone." : " TensorFlow ignores it."}},
                   severity);
        }
    }

    void readTopKeys(const JsonNode& root) { reportUnknown(root, kTopKeys, 2); }

    void readCluster(const JsonNode::Entry& entry) {
        m_reading.clusterAt = entry.at;
        if (!expect(entry.value, JsonNode::Kind::Object, "cluster", "an object of job lists")) return;
        m_reading.hasCluster = true;
        for (const JsonNode::Entry& job : entry.value.entries) {
            if (entry.value.find(job.key) != &job) continue;  // repeated; the last one counts
            m_reading.jobAt[job.key] = job.at;
            if (!isJob(job.key)) reportType(job.key, job.at);
            readJob(job);
        }
        if (m_reading.cluster.jobs.empty()) m_reading.hasCluster = !m_reading.nearCluster;
    }

    void reportType(const std::string& type, JsonPosition at) {
        const auto nearest = type == "master" ? std::optional<std::string>("chief") : nearestWord(type, kJobs);
        report("T314", at, {{"type", type}, {"hint", nearest ? "; did you mean \"" + *nearest + "\"?" : "."}});
    }

    void readJob(const JsonNode::Entry& entry) {
        JobAddresses job;
        job.job = entry.key;
        const std::string path = "cluster." + entry.key;
        if (entry.value.kind == JsonNode::Kind::Array) {
            std::int64_t index = 0;
            for (const JsonNode& item : entry.value.items) readTaskAddress(job, index++, item, path);
        } else if (entry.value.kind == JsonNode::Kind::Object) {
            job.sparse = true;
            for (const JsonNode::Entry& item : entry.value.entries) {
                const auto index = wholeNumber(item.key);
                if (!index || *index < 0) {
                    report("T325", item.at,
                           {{"path", path + " key \"" + item.key + "\""}, {"expected", "a task index"}, {"kind", "a word"}});
                    m_reading.whole = false;
                } else if (entry.value.find(item.key) == &item) {
                    readTaskAddress(job, *index, item.value, path);
                }
            }
            std::sort(job.tasks.begin(), job.tasks.end());
        } else {
            expect(entry.value, JsonNode::Kind::Array, path, "a list of host:port");
        }
        m_reading.cluster.jobs.push_back(std::move(job));
    }

    void readTaskAddress(JobAddresses& job, std::int64_t index, const JsonNode& node, const std::string& path) {
        if (!expect(node, JsonNode::Kind::String, path + "[" + std::to_string(index) + "]", "a text host:port")) return;
        const AddressReading address = readAddress(node.text);
        if (!address.code.empty()) {
            report(address.code, node.at,
                   {{"address", node.text}, {"what", address.what}, {"character", std::to_string(address.character)}});
            m_reading.badAddresses.insert(node.text);
        }
        job.tasks.emplace_back(index, node.text);
        m_reading.addressAt[{job.job, index}] = node.at;
    }

    void readTask(const JsonNode::Entry& entry) {
        m_reading.taskAt = entry.at;
        if (!expect(entry.value, JsonNode::Kind::Object, "task", "an object with type and index")) return;
        reportUnknown(entry.value, kTaskKeys, 2);
        const auto* type = entry.value.find("type");
        const auto* index = entry.value.find("index");
        if (type != nullptr && expect(type->value, JsonNode::Kind::String, "task.type", "a text")) {
            m_reading.type = type->value.text;
            m_reading.typeAt = type->value.at;
        }
        std::optional<std::int64_t> number;
        if (index != nullptr) {
            m_reading.indexAt = index->value.at;
            number = readIndex(index->value);
        }
        if (m_reading.type && number) m_reading.task = TfTask{*m_reading.type, *number};
    }

    std::optional<std::int64_t> readIndex(const JsonNode& node) {
        const bool text = node.kind == JsonNode::Kind::String;
        const auto number = text || node.kind == JsonNode::Kind::Number ? wholeNumber(node.text) : std::nullopt;
        if (!number) {
            report("T325", node.at, {{"path", "task.index"}, {"expected", "a whole number"}, {"kind", std::string(node.kindName())}});
            m_reading.whole = false;
        } else if (text) {
            report("T308", node.at, {{"value", "\"" + node.text + "\""}, {"n", std::to_string(*number)}}, Severity::Warn);
        }
        return number;
    }

    void readLayer(const JsonNode::Entry& entry) {
        if (!expect(entry.value, JsonNode::Kind::String, "rpc_layer", "a text")) return;
        if (entry.value.text == "grpc") return;
        report("T323", entry.value.at,
               {{"layer", entry.value.text}, {"version", m_context.tensorflowVersion.empty() ? "" : " " + m_context.tensorflowVersion}});
    }

    void checkTaskAgainstCluster(bool taskGiven) {
        if (!m_reading.task) {
            if (m_reading.hasCluster && !m_nearTask) report("T310", taskGiven ? m_reading.taskAt : m_reading.clusterAt, {});
            return;
        }
        const TfTask& task = *m_reading.task;
        if (!m_reading.hasCluster) {
            const bool alone = taskGiven && !m_context.singleHost && !m_reading.nearCluster;
            if (alone) report("T311", m_reading.taskAt, {{"task", labelOf(task.type, task.index)}});
            return;
        }
        if (!isJob(task.type)) return reportType(task.type, m_reading.typeAt);
        const JobAddresses* job = m_reading.cluster.find(task.type);
        if (job == nullptr) return reportAbsent(task);
        const auto count = static_cast<std::int64_t>(job->tasks.size());
        const auto own = std::find_if(job->tasks.begin(), job->tasks.end(), [&](const auto& entry) { return entry.first == task.index; });
        m_reading.indexUsable = own != job->tasks.end();
        if (m_reading.indexUsable) return;
        if (job->sparse) return report("T318", m_reading.indexAt, {{"task", labelOf(task.type, task.index)}});
        report("T307", m_reading.indexAt, {{"task", labelOf(task.type, task.index)}, {"n", std::to_string(count)}, {"type", task.type}});
    }

    void reportAbsent(const TfTask& task) {
        if (task.type != "evaluator") return report("T318", m_reading.taskAt, {{"task", labelOf(task.type, task.index)}});
        if (isMultiWorker(m_context)) report("T328", m_reading.taskAt, {});
        m_reading.indexUsable = !isMultiWorker(m_context);
    }

    void checkCluster() {
        for (const JobAddresses& job : m_reading.cluster.jobs) {
            const JsonPosition at = m_reading.jobAt[job.job];
            const bool single = job.job == "chief" || job.job == "evaluator";
            if (single && job.tasks.size() > 1) report("T313", at, {{"job", job.job}, {"n", std::to_string(job.tasks.size())}});
            if (job.sparse) checkSparse(job, at);
            if (job.job == "evaluator" && !job.tasks.empty() && isParameterServer(m_context)) report("T319", at, {});
            if (job.job == "ps" && !job.tasks.empty() && isMultiWorker(m_context)) {
                report("T320", at, {{"n", std::to_string(job.tasks.size())}}, Severity::Warn);
            }
        }
    }

    void checkSparse(const JobAddresses& job, JsonPosition at) {
        const std::string& version = m_context.tensorflowVersion;
        if (version.starts_with("1.") || version.starts_with("0."))
            report("T317", at, {{"job", job.job}, {"version", version}}, Severity::Warn);
        std::string missing;
        std::int64_t expected = 0;
        for (const auto& [index, address] : job.tasks) {
            if (index != expected && missing.empty()) missing = std::to_string(expected);
            ++expected;
        }
        if (missing.empty() || !isMultiWorker(m_context)) return;
        report("T327", at, {{"job", job.job}, {"missing", missing}, {"n", std::to_string(job.tasks.back().first)}});
    }

    int m_number;
    const CheckContext& m_context;
    TfFindings& m_findings;
    TfReading m_reading;
    bool m_nearTask = false;  // a key that looks like a misspelt "task", "type" or "index"
};

}  // namespace

TfReading readTfConfig(const TaskConfig& config, int number, const CheckContext& context, TfFindings& findings) {
    if (!config.text) return {};
    const auto parsed = parseJson(*config.text);
    if (const auto* problem = std::get_if<JsonProblem>(&parsed)) {
        findings.add("T303", Severity::Error, number, problem->at,
                     {{"line", std::to_string(problem->at.line)}, {"column", std::to_string(problem->at.column)}, {"what", problem->what}});
        TfReading reading;
        reading.given = true;
        return reading;
    }
    return ConfigReader(number, context, findings).read(std::get<JsonNode>(parsed));
}

}  // namespace lockstep::spec
