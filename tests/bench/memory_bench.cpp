// Predicted against measured peak memory of a rank: every model × batch × recompute in processes of their own, one that trains three steps
// and one that only asks what that takes. Measured: the highest resident size above that of the idle process. Within 3 % or 4 MiB.
//   memory_bench [--models mlp,…] [--batches 32,128,512] [--recompute off,on] [--threads N] [--json]
#include <base/file.h>
#include <comm/group.h>
#include <exec/arena.h>
#include <exec_cpu/cpu_executor.h>
#include <nn/presets.h>
#include <passes/pipeline.h>
#include <train/memory.h>

#include <nlohmann/json.hpp>

#include <sys/wait.h>
#include <unistd.h>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

using namespace lockstep;

namespace {

constexpr std::uint64_t kMiB = 1u << 20;
constexpr std::uint64_t kSteps = 3;

struct Case {
    std::string model;
    std::int64_t batch = 32;
    bool recompute = false;
    int threads = 2;
};

std::uint64_t statusBytes(const char* field) {
    std::ifstream status("/proc/self/status");
    std::string line;
    while (std::getline(status, line)) {
        if (!line.starts_with(field)) continue;
        std::istringstream words(line.substr(std::strlen(field) + 1));
        std::uint64_t kilobytes = 0;
        words >> kilobytes;
        return kilobytes << 10;
    }
    return 0;
}

std::vector<std::int64_t> inputOf(const std::string& model) {
    if (model == "mlp" || model == "lenet5" || model == "cnn") return {28, 28, 1};
    return {32, 32, 3};
}

Result<train::RankOptions> optionsOf(const Case& one) {
    train::RankOptions options;
    options.model.preset = one.model;
    options.model.inputShape = inputOf(one.model);
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

// The answer of a process of its own.
nlohmann::json ask(const char* what, const Case& one) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) std::abort();
    std::fflush(nullptr);
    const pid_t pid = ::fork();
    if (pid == 0) {
        ::dup2(ends[1], 1);
        ::close(ends[0]);
        const std::string batch = std::to_string(one.batch), threads = std::to_string(one.threads);
        ::execl("/proc/self/exe", "memory_bench", what, one.model.c_str(), batch.c_str(), one.recompute ? "on" : "off", threads.c_str(),
                nullptr);
        ::_exit(127);
    }
    ::close(ends[1]);
    std::string text;
    std::array<char, 4096> buffer{};
    for (ssize_t got = 0; (got = ::read(ends[0], buffer.data(), buffer.size())) > 0;)
        text.append(buffer.data(), static_cast<std::size_t>(got));
    ::close(ends[0]);
    ::waitpid(pid, nullptr, 0);
    return nlohmann::json::parse(text, nullptr, false);
}

int answer(char** arguments) {
    const Case one{arguments[2], std::atol(arguments[3]), std::strcmp(arguments[4], "on") == 0, std::atoi(arguments[5])};
    const auto result = std::strcmp(arguments[1], "--predict") == 0 ? predict(one) : measure(one);
    if (!result.ok()) {
        std::fprintf(stderr, "%s\n", result.error().toText().c_str());
        return 1;
    }
    std::printf("%s\n", result->dump().c_str());
    return 0;
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
                                            {"threads", one.threads},
                                            {"predicted", predicted},
                                            {"measured", measured},
                                            {"within", within}})
                                .dump()
                                .c_str());
    } else {
        std::printf("%-22s %5lld %-4s %9.1f %9.1f %+8.1f %+7.1f %%  %s\n", one.model.c_str(), static_cast<long long>(one.batch),
                    one.recompute ? "on" : "off", wanted, found, off, 100 * off / found, within ? "" : "OFF");
    }
    std::fflush(stdout);
    return within;
}

}  // namespace

int main(int count, char** arguments) {
    if (count == 6 && (std::strcmp(arguments[1], "--predict") == 0 || std::strcmp(arguments[1], "--measure") == 0))
        return answer(arguments);
    std::string models = "mlp,lenet5,cnn,resnet20,mobilenet,resnet50,transformer_classifier", batches = "32,128,512", recompute = "off,on";
    int threads = 2;
    bool asJson = false;
    for (int i = 1; i < count; ++i) {
        const std::string word = arguments[i];
        const auto value = [&] { return i + 1 < count ? arguments[++i] : ""; };
        if (word == "--models") models = value();
        if (word == "--batches") batches = value();
        if (word == "--recompute") recompute = value();
        if (word == "--threads") threads = std::atoi(value());
        if (word == "--json") asJson = true;
    }
    if (!asJson) std::printf("%-22s %5s %-4s %9s %9s %8s\n", "model", "batch", "re", "predicted", "measured", "MiB off");
    int wrong = 0;
    for (const auto& model : split(models)) {
        for (const auto& batch : split(batches)) {
            for (const auto& again : split(recompute)) {
                const Case one{model, std::atol(batch.c_str()), again == "on", threads};
                const auto predicted = ask("--predict", one), measured = ask("--measure", one);
                if (predicted.is_discarded() || measured.is_discarded()) {
                    std::printf("%-22s %5s %-4s failed\n", model.c_str(), batch.c_str(), again.c_str());
                    ++wrong;
                    continue;
                }
                wrong += print(one, predicted, measured, asJson) ? 0 : 1;
            }
        }
    }
    return wrong == 0 ? 0 : 1;
}
