#include "plan_json.h"

#include <array>

namespace lockstep::plan {
namespace {

constexpr int kSchema = 1;
constexpr std::size_t kLargest = 16u << 20;
constexpr std::array<spec::Strategy, 3> kStrategies = {spec::Strategy::OneDevice, spec::Strategy::Mirrored,
                                                       spec::Strategy::MultiWorkerMirrored};

Json toJson(const Task& task) {
    Json json = {{"type", task.type}, {"index", task.index}, {"address", task.address}};
    // The variable's text, so that it can be copied to a shell; null where there is none.
    json["tf_config"] = task.tfConfig.empty() ? Json(nullptr) : Json(task.tfConfig);
    return json;
}

Json toJson(const Rank& rank) {
    Json slices = Json::array();
    for (int i = 0; i < rank.sliceCount; ++i) slices.push_back(rank.firstSlice + i);
    return {{"rank", rank.rank},   {"task", rank.task}, {"host", rank.host},          {"device", rank.device},
            {"cores", rank.cores}, {"slices", slices},  {"bytes", toJson(rank.bytes)}};
}

Json toJson(const Memory& memory) {
    Json cuts = Json::array();
    for (const RecomputeCut& cut : memory.recompute) cuts.push_back({{"after", cut.after}, {"level", cut.level}});
    return {{"recompute", cuts},
            {"slices_apart", memory.slicesApart},
            {"prepared_batches", memory.preparedBatches},
            {"limit", memory.limit ? Json(*memory.limit) : Json(nullptr)},
            {"why", memory.why}};
}

Json toJson(const DataFacts& data) {
    return {{"row_shape", data.rowShape}, {"classes", data.classes}, {"target_width", data.targetWidth},
            {"bytes", data.bytes},        {"rows", data.rows},       {"validation_rows", data.validationRows}};
}

DataFacts readData(const Json& json) {
    return {
        json.at("row_shape").get<std::vector<std::int64_t>>(), json.at("classes").get<int>(), json.at("rows").get<std::int64_t>(),
        json.at("validation_rows").get<std::int64_t>(),        json.at("bytes").get<bool>(),  json.at("target_width").get<std::int64_t>()};
}

Error wrongFile(std::size_t offset, std::string expected, std::string found) {
    return makeError("F601", {{"file", "plan.json"},
                              {"offset", std::to_string(offset)},
                              {"expected", std::move(expected)},
                              {"found", std::move(found)},
                              {"cause", "It is no plan of this program, or it was changed."}});
}

Task readTask(const Json& json) {
    Task task;
    task.type = json.at("type").get<std::string>();
    task.index = json.at("index").get<int>();
    task.address = json.at("address").get<std::string>();
    if (!json.at("tf_config").is_null()) task.tfConfig = json.at("tf_config").get<std::string>();
    return task;
}

Rank readRank(const Json& json) {
    Rank rank;
    rank.rank = json.at("rank").get<int>();
    rank.task = json.at("task").get<int>();
    rank.host = json.at("host").get<std::string>();
    rank.device = json.at("device").get<std::string>();
    rank.cores = json.at("cores").get<std::vector<int>>();
    const auto slices = json.at("slices").get<std::vector<int>>();
    rank.firstSlice = slices.empty() ? 0 : slices.front();
    rank.sliceCount = static_cast<int>(slices.size());
    const Json& bytes = json.at("bytes");
    const auto read = [&bytes](const char* key) { return bytes.at(key).get<std::uint64_t>(); };
    // Plans of earlier versions know fewer parts.
    const auto newer = [&bytes](const char* key) { return bytes.value(key, std::uint64_t{0}); };
    rank.bytes = {read("weights"), read("gradients"), read("slots"),       read("activations"), newer("workspace"),
                  read("input"),   newer("data"),     newer("checkpoint"), read("library")};
    return rank;
}

Memory readMemory(const Json& json) {
    Memory memory;
    for (const Json& cut : json.at("recompute"))
        memory.recompute.push_back({cut.at("after").get<std::string>(), cut.at("level").get<int>()});
    memory.slicesApart = json.at("slices_apart").get<bool>();
    memory.preparedBatches = json.at("prepared_batches").get<int>();
    if (!json.at("limit").is_null()) memory.limit = json.at("limit").get<std::uint64_t>();
    memory.why = json.at("why").get<std::string>();
    return memory;
}

Plan readPlan(const Json& json) {
    Plan plan;
    plan.run = json.at("run").get<std::string>();
    plan.specHash = json.at("spec_hash").get<std::string>();
    const auto strategy = json.at("strategy").get<std::string>();
    for (const spec::Strategy one : kStrategies) {
        if (nameOf(one) == strategy) plan.strategy = one;
    }
    plan.reduction = json.at("reduction").get<std::string>();
    plan.deterministic = json.at("deterministic").get<bool>();
    plan.isa = json.at("isa").get<std::string>();
    plan.sliceTotal = json.at("slices").at("count").get<int>();
    plan.sliceRows = json.at("slices").at("rows").get<std::int64_t>();
    for (const Json& task : json.at("tasks")) plan.tasks.push_back(readTask(task));
    for (const Json& rank : json.at("ranks")) plan.ranks.push_back(readRank(rank));
    plan.transport = json.at("transport").get<std::string>();
    for (const Json& choice : json.at("all_reduce")) {
        plan.allReduce.push_back(
            {choice.at("bytes").get<std::uint64_t>(), choice.at("algorithm").get<std::string>(), choice.at("why").get<std::string>()});
    }
    if (json.contains("data")) plan.data = readData(json.at("data"));
    if (json.contains("memory")) plan.memory = readMemory(json.at("memory"));
    plan.forecast = {json.at("forecast").at("step_seconds").get<double>(), json.at("forecast").at("samples_per_second").get<double>()};
    return plan;
}

// What the launcher relies on: places exist, slices lie inside the total.
Result<void> checkPlan(const Plan& plan, const Json& json) {
    if (json.at("schema").get<int>() != kSchema) return wrongFile(0, "schema 1", json.at("schema").dump());
    if (nameOf(plan.strategy) != json.at("strategy").get<std::string>()) return wrongFile(0, "a strategy", json.at("strategy").dump());
    for (std::size_t i = 0; i < plan.ranks.size(); ++i) {
        const Rank& rank = plan.ranks[i];
        const std::string name = "rank " + std::to_string(i);
        const bool order = rank.rank == static_cast<int>(i) && rank.task >= 0 && rank.task < static_cast<int>(plan.tasks.size());
        if (!order)
            return wrongFile(0, name + " of a listed task", "rank " + std::to_string(rank.rank) + " of task " + std::to_string(rank.task));
        const Json& slices = json.at("ranks").at(i).at("slices");
        for (int k = 0; k < rank.sliceCount; ++k) {
            const int slice = slices.at(static_cast<std::size_t>(k)).get<int>();
            if (slice != rank.firstSlice + k || slice < 0 || slice >= plan.sliceTotal)
                return wrongFile(0, "neighbouring slices of " + name, slices.dump());
        }
    }
    return {};
}

}  // namespace

Json toJson(const RankBytes& bytes) {
    return {{"weights", bytes.weights},
            {"gradients", bytes.gradients},
            {"slots", bytes.optimizerSlots},
            {"activations", bytes.activations},
            {"workspace", bytes.workspace},
            {"input", bytes.input},
            {"data", bytes.data},
            {"checkpoint", bytes.checkpoint},
            {"library", bytes.library}};
}

std::string printPlan(const Plan& plan) {
    Json json = {{"schema", kSchema},
                 {"run", plan.run},
                 {"spec_hash", plan.specHash},
                 {"strategy", nameOf(plan.strategy)},
                 {"reduction", plan.reduction},
                 {"deterministic", plan.deterministic},
                 {"isa", plan.isa},
                 {"slices", {{"count", plan.sliceTotal}, {"rows", plan.sliceRows}}}};
    if (plan.data) json["data"] = toJson(*plan.data);
    json["tasks"] = Json::array();
    for (const Task& task : plan.tasks) json["tasks"].push_back(toJson(task));
    json["ranks"] = Json::array();
    for (const Rank& rank : plan.ranks) json["ranks"].push_back(toJson(rank));
    json["transport"] = plan.transport;
    json["all_reduce"] = Json::array();
    for (const AllReduceChoice& choice : plan.allReduce) {
        json["all_reduce"].push_back({{"bytes", choice.bytes}, {"algorithm", choice.algorithm}, {"why", choice.why}});
    }
    json["memory"] = toJson(plan.memory);
    json["forecast"] = {{"step_seconds", plan.forecast.stepSeconds}, {"samples_per_second", plan.forecast.samplesPerSecond}};
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<Plan> parsePlan(std::string_view text) {
    if (text.size() > kLargest) return wrongFile(kLargest, "the end", "more");
    // Depth is checked while parsing: deep nesting must not reach nlohmann's recursive clean-up.
    const auto shallow = [](int depth, Json::parse_event_t, Json&) {
        if (depth > 8) throw std::length_error("values nested deeper than 8 levels");
        return true;
    };
    try {
        const Json json = Json::parse(text.begin(), text.end(), shallow);
        const Plan plan = readPlan(json);
        LS_TRY(checkPlan(plan, json));
        return plan;
    } catch (const Json::parse_error& problem) {
        return wrongFile(problem.byte == 0 ? 0 : problem.byte - 1, "JSON", problem.what());
    } catch (const std::exception& problem) {
        return wrongFile(0, "the keys of a plan", problem.what());
    }
}

}  // namespace lockstep::plan
