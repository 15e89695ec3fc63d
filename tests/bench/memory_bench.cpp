// Predicted against measured peak memory of a rank: every model × batch × policy × recompute in processes of their own, one that trains
// three steps and one that only asks what that takes. Measured: the highest resident size above that of the idle process. Within 3 % or
// 4 MiB, else the exit code is 1.
//   memory_bench [--models mlp,…] [--batches 32,128,512] [--policies float32,mixed_bfloat16] [--recompute off,on] [--threads N] [--json]
#include "child_runs.h"

#include <base/file.h>
#include <comm/group.h>
#include <exec/arena.h>
#include <exec_cpu/cpu_executor.h>
#include <nn/presets.h>
#include <passes/pipeline.h>
#include <train/memory.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace lockstep;
using namespace lockstep::bench;

namespace {

constexpr std::uint64_t kMiB = 1u << 20;
constexpr std::uint64_t kSteps = 3;

struct Case {
    std::string model;
    std::int64_t batch = 32;
    bool recompute = false;
    std::string policy = "float32";
    int threads = 2;
};

std::vector<std::int64_t> inputOf(const std::string& model) {
    if (model == "mlp" || model == "lenet5" || model == "cnn") return {28, 28, 1};
    return {32, 32, 3};
}

Result<train::RankOptions> optionsOf(const Case& one) {
    train::RankOptions options;
    options.model.preset = one.model;
    options.model.inputShape = inputOf(one.model);
    options.model.policy = one.policy;
    options.optimizer.name = "adam";
    options.globalBatch = one.batch;
    options.epochs = 1;
    options.steps = kSteps;
    options.compile.threads = one.threads;
    options.data.dataset = "synthetic";
    options.data.shape = options.model.inputShape;
    options.data.syntheticRows = static_cast<std::int64_t>(kSteps) * one.batch;
    if (!one.recompute) return options;
    LS_TRY_ASSIGN(const nn::Model model, nn::buildModel(options.model, one.batch, graph::DType::F32));
    passes::TrainStepOptions step;
    step.optimizer = options.optimizer;
    step.allReduce = false;
    LS_TRY_ASSIGN(const auto made, passes::makeTrainStep(model, step));
    const auto work = [](const graph::Graph& graph) -> double { return exec::costOf(graph).flops; };
    LS_TRY_ASSIGN(const auto choices, passes::recomputeChoices(made.graph, made.lastForward, work));
    options.recompute = choices.back().cuts;
    return options;
}

nlohmann::json toJson(const train::RankMemory& m) {
    return {{"weights", m.weights},
            {"gradients", m.gradients},
            {"slots", m.optimizerSlots},
            {"activations", m.activations},
            {"workspace", m.workspace},
            {"input", m.input},
            {"data", m.data},
            {"checkpoint", m.checkpoint},
            {"library", m.library},
            {"total", m.total()}};
}

Result<nlohmann::json> predict(const Case& one) {
    LS_TRY_ASSIGN(const auto options, optionsOf(one));
    LS_TRY_ASSIGN(const auto facts, data::readDatasetFacts(options.data));
    const auto executor = exec::cpu::makeCpuExecutor();
    LS_TRY_ASSIGN(const auto memory, train::memoryOf(options, facts, 1, *executor));
    return toJson(memory);
}

Result<nlohmann::json> measure(const Case& one) {
    const std::uint64_t idle = statusBytes("VmRSS");
    LS_TRY_ASSIGN(const auto options, optionsOf(one));
    const auto executor = exec::cpu::makeCpuExecutor();
    auto group = comm::makeSingleGroup();
    std::vector<std::pair<std::string, std::uint64_t>> phases;
    train::RankHooks hooks;
    hooks.phase = [&](const std::string& phase) { phases.emplace_back(phase, statusBytes("VmRSS") - idle); };
    LS_TRY_ASSIGN(const auto result, train::runRank(options, *executor, *group, hooks));
    nlohmann::json out = {{"peak", statusBytes("VmHWM") - idle}, {"idle", idle}, {"loss", result.loss}};
    for (const auto& [phase, bytes] : phases) out["phases"][phase] = bytes;
    return out;
}

// What stands for a case on the command line of a child.
std::vector<std::string> wordsOf(const char* what, const Case& one) {
    return {what, one.model, std::to_string(one.batch), one.recompute ? "on" : "off", one.policy, std::to_string(one.threads)};
}

int answer(char** words) {
    const Case one{words[2], std::atol(words[3]), std::string_view(words[4]) == "on", words[5], std::atoi(words[6])};
    return std::string_view(words[1]) == "--predict" ? tell(predict(one)) : tell(measure(one));
}

std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> words;
    std::istringstream stream(text);
    for (std::string word; std::getline(stream, word, ',');) words.push_back(word);
    return words;
}

double mib(const nlohmann::json& bytes) { return bytes.get<double>() / static_cast<double>(kMiB); }

bool print(const Case& one, const nlohmann::json& predicted, const nlohmann::json& measured, bool asJson) {
    const double wanted = mib(predicted.at("total")), found = mib(measured.at("peak")), off = wanted - found;
    const bool within = std::abs(off) <= 4 || std::abs(off) <= 0.03 * found;
    if (asJson) {
        std::printf("%s\n", nlohmann::json({{"model", one.model},
                                            {"batch", one.batch},
                                            {"recompute", one.recompute},
                                            {"policy", one.policy},
                                            {"threads", one.threads},
                                            {"predicted", predicted},
                                            {"measured", measured},
                                            {"within", within}})
                                .dump()
                                .c_str());
    } else {
        std::printf("%-22s %5lld %-4s %-15s %9.1f %9.1f %+8.1f %+7.1f %%  %s\n", one.model.c_str(), static_cast<long long>(one.batch),
                    one.recompute ? "on" : "off", one.policy.c_str(), wanted, found, off, 100 * off / found, within ? "" : "OFF");
    }
    std::fflush(stdout);
    return within;
}

bool run(const Case& one, bool asJson) {
    const auto predicted = ask(wordsOf("--predict", one)), measured = ask(wordsOf("--measure", one));
    if (!predicted.is_discarded() && !measured.is_discarded()) return print(one, predicted, measured, asJson);
    std::printf("%-22s %5lld %-4s %-15s failed\n", one.model.c_str(), static_cast<long long>(one.batch), one.recompute ? "on" : "off",
                one.policy.c_str());
    return false;
}

}  // namespace

int main(int count, char** arguments) {
    const std::string_view first = count > 1 ? arguments[1] : "";
    if (count == 7 && (first == "--predict" || first == "--measure")) return answer(arguments);
    std::map<std::string, std::string> words = {{"--models", "mlp,lenet5,cnn,resnet20,mobilenet,resnet50,transformer_classifier"},
                                                {"--batches", "32,128,512"},
                                                {"--recompute", "off,on"},
                                                {"--policies", "float32"},
                                                {"--threads", "2"}};
    bool asJson = false;
    for (int i = 1; i < count; ++i) {
        const std::string word = arguments[i];
        if (word == "--json") asJson = true;
        if (const auto known = words.find(word); known != words.end() && i + 1 < count) known->second = arguments[++i];
    }
    if (!asJson) std::printf("%-22s %5s %-4s %-15s %9s %9s %8s\n", "model", "batch", "re", "policy", "predicted", "measured", "MiB off");
    int wrong = 0;
    for (const auto& model : split(words["--models"]))
        for (const auto& batch : split(words["--batches"]))
            for (const auto& policy : split(words["--policies"]))
                for (const auto& again : split(words["--recompute"]))
                    wrong += run({model, std::atol(batch.c_str()), again == "on", policy, std::atoi(words["--threads"].c_str())}, asJson)
                                 ? 0
                                 : 1;
    return wrong == 0 ? 0 : 1;
}
