// One training step of two ranks on this computer: buckets in memory of the group against buckets in memory of each program, in turns.
//
// usage: ranks_bench [PAIRS]       (default 5)
// Each run: preset mlp, default optimizer (Adam), global batch 64, two processes with one processor each; median time of a step after the
// warm-up, and the part of it in all-reduces, of rank 0.
#include <base/ids.h>
#include <base/thread.h>
#include <comm/group.h>
#include <exec_cpu/cpu_executor.h>
#include <train/rank.h>

#include <fmt/core.h>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <vector>

using namespace lockstep;

namespace {

constexpr std::uint64_t kSteps = 3000;
constexpr std::uint64_t kWarmUp = 300;

enum class Buckets : std::uint8_t { Program, Group };

struct Figures {
    double step = 0;  // seconds
    double communication = 0;
};

template <class Value>
Value must(Result<Value> result) {
    if (result.ok()) return std::move(result).value();
    fmt::print(stderr, "{}\n", result.error().toText());
    std::exit(1);
}

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

// A group that has no memory to offer.
class WithoutMemory final : public comm::Group {
public:
    explicit WithoutMemory(comm::Group& group) : m_group(group) {}
    Result<void> allReduce(const comm::AllReduce& options) override { return m_group.allReduce(options); }
    Result<void> broadcast(const comm::Broadcast& options) override { return m_group.broadcast(options); }
    Result<void> barrier(Deadline deadline) override { return m_group.barrier(deadline); }
    void abort(Error why) override { m_group.abort(std::move(why)); }
    comm::GroupInfo info() const override { return m_group.info(); }

private:
    comm::Group& m_group;
};

void runRank(int rank, Buckets buckets, const std::string& segment, const std::filesystem::path& cache, Figures& figures) {
    const auto processors = usableProcessors();
    train::RankOptions options;
    options.rank = rank;
    options.model.preset = "mlp";
    options.data.folder = std::filesystem::path(LOCKSTEP_SOURCE_DIR) / "resources/data/mnist";
    options.data.cacheFolder = cache;
    options.globalBatch = 64;
    options.epochs = 100;
    options.steps = kSteps;
    options.evaluate = false;
    options.slices = {2, rank, 1};
    options.compile.threads = 1;
    options.compile.processors = {processors[static_cast<std::size_t>(rank) % processors.size()]};
    pinThisThread(options.compile.processors);
    std::vector<double> steps, communication;
    train::RankHooks hooks;
    hooks.sample = [&](const telemetry::Sample& sample) {
        if (sample.step <= kWarmUp) return;
        if (sample.series == telemetry::Series::StepSeconds) steps.push_back(sample.value);
        if (sample.series == telemetry::Series::CommunicationSeconds) communication.push_back(sample.value);
    };
    comm::SharedMemoryOptions shared;
    shared.name = segment;
    shared.rank = rank;
    shared.size = 2;
    const auto group = must(comm::joinSharedMemory(shared));
    WithoutMemory without(*group);
    const auto executor = exec::cpu::makeCpuExecutor();
    must(train::runRank(options, *executor, buckets == Buckets::Group ? *group : static_cast<comm::Group&>(without), hooks));
    if (rank == 0) figures = {median(std::move(steps)), median(std::move(communication))};
}

Figures measure(Buckets buckets, const std::filesystem::path& cache) {
    void* memory = ::mmap(nullptr, sizeof(Figures), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) std::exit(1);
    auto& figures = *new (memory) Figures;
    const std::string segment = "/lockstep-" + std::to_string(::getuid()) + "-" + randomHex(4) + "-1";
    std::array<pid_t, 2> ranks{};
    for (int rank = 0; rank < 2; ++rank) {
        ranks[static_cast<std::size_t>(rank)] = ::fork();
        if (ranks[static_cast<std::size_t>(rank)] != 0) continue;
        runRank(rank, buckets, segment, cache, figures);
        ::_exit(0);
    }
    for (const pid_t rank : ranks) {
        int status = 0;
        if (::waitpid(rank, &status, 0) != rank || status != 0) std::exit(1);
    }
    const Figures result = figures;
    ::munmap(memory, sizeof(Figures));
    return result;
}

}  // namespace

int main(int argc, char** argv) {
    const int pairs = argc > 1 ? std::max(1, std::atoi(argv[1])) : 5;
    const auto cache = std::filesystem::temp_directory_path() / ("lockstep-bench-" + std::to_string(::getpid()));
    std::array<std::vector<double>, 2> steps, communication;
    for (int pair = 0; pair < pairs; ++pair)
        for (const auto buckets : {Buckets::Program, Buckets::Group}) {
            const Figures figures = measure(buckets, cache);
            steps[static_cast<std::size_t>(buckets)].push_back(figures.step * 1e6);
            communication[static_cast<std::size_t>(buckets)].push_back(figures.communication * 1e6);
        }
    std::error_code ignored;
    std::filesystem::remove_all(cache, ignored);
    for (const auto buckets : {Buckets::Program, Buckets::Group})
        fmt::print("buckets of the {:<8} step {:6.1f} us, in all-reduces {:6.1f} us (medians of {} runs)\n",
                   buckets == Buckets::Group ? "group" : "program", median(steps[static_cast<std::size_t>(buckets)]),
                   median(communication[static_cast<std::size_t>(buckets)]), pairs);
    return 0;
}
