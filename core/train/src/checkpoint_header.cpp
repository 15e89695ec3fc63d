#include "checkpoint_header.h"

#include <base/checksum.h>
#include <base/units.h>

#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>

namespace lockstep::train {
namespace {

using Json = nlohmann::json;

constexpr int kSchema = 1;
constexpr std::size_t kMostAxes = 16;
constexpr std::int64_t kMostElements = std::int64_t{1} << 40;

// Doubles travel as text: exact, and NaN has a form.
Json number(double value) { return formatDouble(value); }

Json numberOrNull(const std::optional<double>& value) { return value ? number(*value) : Json(); }

// Reads members of one object; the first one that is missing or of another type is remembered.
class Reader {
public:
    Reader(const Json& object, std::string& reason) : m_object(object), m_reason(reason) {
        if (!object.is_object()) fail("an object");
    }
    bool ok() const { return m_reason.empty(); }

    template <class T>
    T integer(const char* name) {
        const Json* value = find(name);
        if (value == nullptr) return 0;
        if (!value->is_number_unsigned()) return fail(name), T{0};
        const auto raw = value->get<std::uint64_t>();
        if (raw > static_cast<std::uint64_t>(std::numeric_limits<T>::max())) return fail(name), T{0};
        return static_cast<T>(raw);
    }
    std::string text(const char* name) {
        const Json* value = find(name);
        if (value == nullptr) return {};
        if (!value->is_string()) return fail(name), std::string();
        return value->get<std::string>();
    }
    double real(const char* name) {
        const std::string digits = text(name);
        double value = 0;
        const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (ok() && (status != std::errc() || end != digits.data() + digits.size())) fail(name);
        return value;
    }
    std::optional<double> realOrNull(const char* name) {
        const Json* value = find(name);
        if (value == nullptr || value->is_null()) return std::nullopt;
        return real(name);
    }
    const Json& member(const char* name) {
        static const Json kNothing;
        const Json* value = find(name);
        return value == nullptr ? kNothing : *value;
    }
    void fail(const std::string& what) {
        if (m_reason.empty()) m_reason = "its header lacks " + what + " or has it in another form";
    }

private:
    const Json* find(const char* name) {
        if (!ok()) return nullptr;
        const auto found = m_object.find(name);
        if (found == m_object.end()) return fail(name), nullptr;
        return &*found;
    }

    const Json& m_object;
    std::string& m_reason;
};

std::optional<graph::DType> dtypeOf(const std::string& name) {
    for (const auto dtype : {graph::DType::F32, graph::DType::F64, graph::DType::I32})
        if (graph::nameOf(dtype) == name) return dtype;
    return std::nullopt;
}

std::optional<graph::Shape> shapeOf(const Json& list) {
    if (!list.is_array() || list.size() > kMostAxes) return std::nullopt;
    std::vector<std::int64_t> dims;
    std::int64_t total = 1;
    for (const Json& item : list) {
        if (!item.is_number_unsigned() || item.get<std::uint64_t>() > static_cast<std::uint64_t>(kMostElements)) return std::nullopt;
        dims.push_back(item.get<std::int64_t>());
        if (dims.back() != 0 && total > kMostElements / dims.back()) return std::nullopt;
        total *= dims.back();
    }
    return graph::Shape(std::move(dims));
}

Json tensorJson(const StateTensor& tensor) {
    return {{"name", tensor.name},
            {"role", tensor.role},
            {"dtype", std::string(graph::nameOf(tensor.type.dtype))},
            {"shape", tensor.type.shape.dims()},
            {"crc32c", crc32c(tensor.bytes)}};
}

void readTensor(const Json& json, ParsedHeader& header, std::string& reason) {
    Reader reader(json, reason);
    StateTensor tensor;
    tensor.name = reader.text("name");
    tensor.role = reader.text("role");
    const auto dtype = dtypeOf(reader.text("dtype"));
    const auto shape = shapeOf(reader.member("shape"));
    header.checksums.push_back(reader.integer<std::uint32_t>("crc32c"));
    if (!dtype || !shape) return reader.fail("a tensor's type");
    tensor.type = {*dtype, *shape};
    header.checkpoint.tensors.push_back(std::move(tensor));
}

// A list that older files lack, and that is not written when empty.
constexpr std::size_t kMostMetrics = 8192;
void addNumbers(Json& json, const char* name, const std::vector<double>& values) {
    if (values.empty()) return;
    Json list = Json::array();
    for (const double value : values) list.push_back(number(value));
    json[name] = std::move(list);
}
std::vector<double> readNumbers(const Json& json, const char* name, std::string& reason) {
    std::vector<double> values;
    if (!json.is_object() || !json.contains(name)) return values;
    const Json& list = json.at(name);
    if (!list.is_array() || list.size() > kMostMetrics) {
        if (reason.empty()) reason = std::string("its header has ") + name + " in another form";
        return values;
    }
    for (const Json& item : list) {
        const Json holder = {{"value", item}};
        Reader reader(holder, reason);
        values.push_back(reader.real("value"));
    }
    return values;
}

std::optional<EpochResult> readResult(const Json& json, std::string& reason) {
    if (json.is_null()) return std::nullopt;
    Reader reader(json, reason);
    EpochResult result;
    result.loss = reader.real("loss");
    result.accuracy = reader.real("accuracy");
    result.valLoss = reader.realOrNull("val_loss");
    result.valAccuracy = reader.realOrNull("val_accuracy");
    result.metrics = readNumbers(json, "metrics", reason);
    result.valMetrics = readNumbers(json, "val_metrics", reason);
    return result;
}

// What the rules of the epochs remember; older files have none.
Json rulesJson(const RuleState& rules) {
    return {{"stop_best", number(rules.stopBest)},
            {"plateau_best", number(rules.plateauBest)},
            {"checkpoint_best", number(rules.checkpointBest)},
            {"learning_rate", number(rules.learningRate)},
            {"stop_wait", rules.stopWait},
            {"plateau_wait", rules.plateauWait},
            {"plateau_cooldown", rules.plateauCooldown},
            {"best_epoch", rules.bestEpoch + 1}};
}
RuleState readRules(const Json& json, std::string& reason) {
    RuleState rules;
    if (!json.is_object() || !json.contains("rules")) return rules;
    Reader reader(json.at("rules"), reason);
    rules.stopBest = reader.real("stop_best");
    rules.plateauBest = reader.real("plateau_best");
    rules.checkpointBest = reader.real("checkpoint_best");
    rules.learningRate = reader.real("learning_rate");
    rules.stopWait = reader.integer<int>("stop_wait");
    rules.plateauWait = reader.integer<int>("plateau_wait");
    rules.plateauCooldown = reader.integer<int>("plateau_cooldown");
    rules.bestEpoch = reader.integer<int>("best_epoch") - 1;
    return rules;
}

EpochSums readSums(const Json& json, std::string& reason) {
    Reader reader(json, reason);
    EpochSums sums;
    sums.loss = reader.real("loss");
    sums.correct = reader.real("correct");
    sums.rows = reader.integer<std::int64_t>("rows");
    sums.metrics = readNumbers(json, "metrics", reason);
    return sums;
}

Json infoJson(const CheckpointInfo& info) {
    return {{"id", info.id}, {"step", info.step}, {"bytes", info.bytes}, {"spec_hash", info.specHash}, {"time", info.time}};
}

// Ids become file names.
bool isId(const std::string& id) {
    return id.starts_with("step-") && id.find_first_not_of("0123456789", 5) == std::string::npos && id.size() > 5;
}

}  // namespace

std::string printHeader(const Checkpoint& c) {
    Json json = {{"schema", kSchema},
                 {"step", c.step},
                 {"epochs", c.epochs},
                 {"next_row", c.nextRow},
                 {"rows", c.rows},
                 {"global_batch", c.globalBatch},
                 {"seed", c.seed},
                 {"spec_hash", c.specHash},
                 {"epoch_sums", {{"loss", number(c.sums.loss)}, {"correct", number(c.sums.correct)}, {"rows", c.sums.rows}}},
                 {"last_epoch", nullptr},
                 {"tensors", Json::array()}};
    addNumbers(json["epoch_sums"], "metrics", c.sums.metrics);
    if (c.last) {
        json["last_epoch"] = {{"loss", number(c.last->loss)},
                              {"accuracy", number(c.last->accuracy)},
                              {"val_loss", numberOrNull(c.last->valLoss)},
                              {"val_accuracy", numberOrNull(c.last->valAccuracy)}};
        addNumbers(json["last_epoch"], "metrics", c.last->metrics);
        addNumbers(json["last_epoch"], "val_metrics", c.last->valMetrics);
    }
    if (!(c.rules == RuleState())) json["rules"] = rulesJson(c.rules);
    for (const StateTensor& tensor : c.tensors) json["tensors"].push_back(tensorJson(tensor));
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<ParsedHeader> parseHeader(std::string_view text, std::string& reason) {
    const Json json = Json::parse(text, nullptr, false);
    reason.clear();
    if (json.is_discarded()) reason = "its header is not JSON";
    ParsedHeader header;
    Checkpoint& c = header.checkpoint;
    Reader reader(json, reason);
    if (reader.integer<int>("schema") != kSchema && reader.ok()) reason = "it was written by another version of the program";
    c.step = reader.integer<std::uint64_t>("step");
    c.epochs = reader.integer<int>("epochs");
    c.nextRow = reader.integer<std::int64_t>("next_row");
    c.rows = reader.integer<std::int64_t>("rows");
    c.globalBatch = reader.integer<std::int64_t>("global_batch");
    c.seed = reader.integer<std::uint64_t>("seed");
    c.specHash = reader.text("spec_hash");
    c.sums = readSums(reader.member("epoch_sums"), reason);
    c.last = readResult(reader.member("last_epoch"), reason);
    c.rules = readRules(json, reason);
    const Json& tensors = reader.member("tensors");
    if (!tensors.is_array())
        reader.fail("tensors");
    else
        for (const Json& tensor : tensors) readTensor(tensor, header, reason);
    if (!reader.ok()) return std::nullopt;
    return header;
}

std::string printManifest(const std::vector<CheckpointInfo>& checkpoints) {
    Json list = Json::array();
    for (const CheckpointInfo& info : checkpoints) list.push_back(infoJson(info));
    const Json inner = {{"schema", kSchema}, {"checkpoints", list}};
    const Json whole = {{"manifest", inner}, {"crc32c", crc32c(asBytes(inner.dump()))}};
    return whole.dump(1) + "\n";
}

std::optional<std::vector<CheckpointInfo>> parseManifest(std::string_view text) {
    const Json json = Json::parse(text, nullptr, false);
    std::string reason;
    Reader reader(json, reason);
    const Json& inner = reader.member("manifest");
    const auto checksum = reader.integer<std::uint32_t>("crc32c");
    if (!reader.ok() || crc32c(asBytes(inner.dump(-1, ' ', false, Json::error_handler_t::replace))) != checksum) return std::nullopt;
    Reader manifest(inner, reason);
    if (manifest.integer<int>("schema") != kSchema) return std::nullopt;
    std::vector<CheckpointInfo> checkpoints;
    for (const Json& item : manifest.member("checkpoints")) {
        Reader entry(item, reason);
        CheckpointInfo info{entry.text("id"), entry.integer<std::uint64_t>("step"), entry.integer<std::uint64_t>("bytes"),
                            entry.text("spec_hash"), 0};
        if (const Json& time = entry.member("time"); time.is_number()) info.time = time.get<double>();
        if (!entry.ok() || !isId(info.id)) return std::nullopt;
        checkpoints.push_back(std::move(info));
    }
    if (!manifest.ok()) return std::nullopt;
    return checkpoints;
}

}  // namespace lockstep::train
