// All-reduce between two processes of this computer: shared memory and TCP against gloo's TCP, in turns in the same run.
//
// usage: allreduce_bench [--json] [--bytes N]
// Target: 407080 bytes (the gradient of the MLP 784-128-10) through shared memory at least 10 times faster than the better of gloo's
// algorithms. Each sample: both ranks write their buffers anew, meet, and sum; time of rank 0. Medians over interleaved rounds.
// The last row is the machine's own limit: each rank reads as many bytes as an all-reduce of two must receive, which the other core
// has just written. No transport can be faster than that.
#include <base/ids.h>
#include <base/thread.h>
#include <comm/endpoint.h>
#include <comm/group.h>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#ifdef LOCKSTEP_HAS_GLOO
#include <gloo/allreduce.h>
#include <gloo/allreduce_halving_doubling.h>
#include <gloo/math.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/tcp/device.h>
#endif

using namespace lockstep;
using Steady = std::chrono::steady_clock;

namespace {

constexpr int kRounds = 9;
constexpr int kSamples = 40;
const std::vector<std::size_t> kSizes = {4, 4'096, 407'080, 1'090'000, 26'214'400};

using Values = std::span<float>;

struct Contestant {
    std::string name;
    std::function<void(Values)> sum;
    std::function<void(Values)> prepare = [](Values) {};  // before the clock starts
    // Where the values lie; empty = ordinary memory.
    std::function<Values(std::size_t count)> memory = [](std::size_t) { return Values(); };
};

void must(const Result<void>& result) {
    if (result.ok()) return;
    std::fprintf(stderr, "%s\n", result.error().toText().c_str());
    std::exit(1);
}

template <class Value>
Value must(Result<Value> result) {
    if (result.ok()) return std::move(*result);
    std::fprintf(stderr, "%s\n", result.error().toText().c_str());
    std::exit(1);
}

#ifdef LOCKSTEP_HAS_GLOO
void addGloo(std::vector<Contestant>& all, int rank, const std::string& folder) {
    gloo::transport::tcp::attr attributes;
    attributes.iface = "lo";
    auto store = std::make_shared<gloo::rendezvous::FileStore>(folder);
    auto context = std::make_shared<gloo::rendezvous::Context>(rank, 2);
    auto device = gloo::transport::tcp::CreateDevice(attributes);
    context->connectFullMesh(*store, device);
    all.push_back({"gloo tcp, ring", [context](Values values) {
                       gloo::AllreduceOptions options(context);
                       options.setOutput(values.data(), values.size());
                       void (*add)(void*, const void*, const void*, std::size_t) = &gloo::sum<float>;
                       options.setReduceFunction(add);
                       options.setAlgorithm(gloo::AllreduceOptions::Algorithm::RING);
                       gloo::allreduce(options);
                   }});
    auto prepared = std::make_shared<std::map<std::pair<float*, std::size_t>, std::unique_ptr<gloo::AllreduceHalvingDoubling<float>>>>();
    all.push_back({"gloo tcp, halving-doubling", [context, prepared](Values values) {
                       auto& algorithm = (*prepared)[{values.data(), values.size()}];
                       if (algorithm == nullptr)
                           algorithm = std::make_unique<gloo::AllreduceHalvingDoubling<float>>(context, std::vector<float*>{values.data()},
                                                                                               static_cast<int>(values.size()));
                       algorithm->run();
                   }});
}
#endif

std::function<void(Values)> sumWith(std::shared_ptr<comm::Group> group) {
    return [group](Values values) { must(group->allReduce({.data = std::as_writable_bytes(values)})); };
}

std::function<Values(std::size_t)> reserveFrom(std::shared_ptr<comm::Group> group) {
    return [group](std::size_t count) {
        const auto bytes = must(group->reserve(count * sizeof(float), Deadline::in(Seconds(60))));
        return Values(reinterpret_cast<float*>(bytes.data()), bytes.size() / sizeof(float));
    };
}

double median(std::vector<double> values) {
    std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
    return values[values.size() / 2];
}

constexpr std::size_t kLargest = 32u << 20;

// Memory of both processes: what a rank wrote last, for the other one to read.
float* sharedFloats() {
    void* memory = ::mmap(nullptr, 2 * kLargest, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) std::exit(1);
    return static_cast<float*>(memory);
}

// Reads what the other rank wrote into its part of `memory`; sixteen sums side by side, so that only the transfer counts.
Contestant makeLimit(float* memory, int rank) {
    constexpr std::size_t kPart = kLargest / sizeof(float);
    auto* mine = memory + (rank == 0 ? 0 : kPart);
    const auto* other = memory + (rank == 0 ? kPart : 0);
    return {"limit: read the other's",
            [other](Values values) {
                std::array<float, 16> sums{};
                for (std::size_t i = 0; i + sums.size() <= values.size(); i += sums.size())
                    for (std::size_t lane = 0; lane < sums.size(); ++lane) sums[lane] += other[i + lane];
                if (values.size() >= sums.size() && sums[0] <= 0) std::exit(3);
                values.front() = values.back() = 2;
            },
            [mine](Values values) { std::ranges::copy(values, mine); }};
}

struct Setup {
    float* memory = sharedFloats();
    std::string segment = "/lockstep-" + std::to_string(getuid()) + "-" + randomHex(4) + "-0";
    std::string folder = (std::filesystem::temp_directory_path() / ("lockstep-bench-" + randomHex(4))).string();
    std::vector<comm::Listener> listeners;
    std::vector<std::string> addresses;
};

struct Times {
    double sum = 0;    // the call
    double whole = 0;  // writing the values before it, the call, reading the sums after it
};

struct Samples {
    std::vector<double> sum, whole;
};

double microsecondsSince(Steady::time_point start) { return std::chrono::duration<double, std::micro>(Steady::now() - start).count(); }

float readAll(Values values) {
    std::array<float, 16> sums{};
    for (std::size_t i = 0; i + sums.size() <= values.size(); i += sums.size())
        for (std::size_t lane = 0; lane < sums.size(); ++lane) sums[lane] += values[i + lane];
    return sums[0];
}

Times measure(const Contestant& contestant, Values source, Values values, comm::Group& group) {
    must(group.barrier(Deadline::in(Seconds(60))));
    Times times;
    auto start = Steady::now();
    std::ranges::copy(source, values.begin());
    times.whole = microsecondsSince(start);
    contestant.prepare(values);
    must(group.barrier(Deadline::in(Seconds(60))));
    start = Steady::now();
    contestant.sum(values);
    times.sum = microsecondsSince(start);
    if (readAll(values) < 0) std::exit(3);
    times.whole += microsecondsSince(start);
    if (values.front() != 2 || values.back() != 2) std::exit(3);
    return times;
}

void report(const std::vector<Contestant>& contestants, const std::map<std::string, Samples>& samples, std::size_t bytes, bool json) {
    Times rival{1e9, 1e9};
    const auto timesOf = [&](const Contestant& contestant) {
        const Samples& all = samples.at(contestant.name);
        return Times{median(all.sum), median(all.whole)};
    };
    for (const auto& contestant : contestants) {
        if (!contestant.name.starts_with("gloo")) continue;
        const Times times = timesOf(contestant);
        rival = {std::min(rival.sum, times.sum), std::min(rival.whole, times.whole)};
    }
    for (const auto& contestant : contestants) {
        const Times times = timesOf(contestant);
        if (json)
            std::printf(
                "{\"bytes\":%zu,\"transport\":\"%s\",\"microseconds\":%.2f,\"times_faster_than_gloo\":%.2f,"
                "\"with_memory_microseconds\":%.2f}\n",
                bytes, contestant.name.c_str(), times.sum, rival.sum / times.sum, times.whole);
        else
            std::printf("%9zu bytes  %-28s %10.1f us  %6.1f x   with writing and reading %10.1f us  %6.1f x\n", bytes,
                        contestant.name.c_str(), times.sum, rival.sum / times.sum, times.whole, rival.whole / times.whole);
    }
}

void runRank(int rank, Setup& setup, const std::vector<std::size_t>& sizes, bool json) {
    std::vector<Contestant> contestants;
#ifdef LOCKSTEP_HAS_GLOO
    addGloo(contestants, rank, setup.folder);  // before pinning: its own thread may run anywhere
#endif
    const auto processors = usableProcessors();
    comm::SharedMemoryOptions sharedOptions;
    sharedOptions.name = setup.segment;
    sharedOptions.rank = rank;
    sharedOptions.size = 2;
    const std::shared_ptr<comm::Group> shared = must(comm::joinSharedMemory(sharedOptions));
    comm::TcpOptions tcpOptions;
    tcpOptions.rank = rank;
    tcpOptions.size = 2;
    tcpOptions.run = "bench";
    tcpOptions.key = "sixteen bytes or more";
    tcpOptions.addresses = setup.addresses;
    tcpOptions.listenFd = setup.listeners[static_cast<std::size_t>(rank)].socket.release();
    setup.listeners.clear();
    contestants.push_back({"tcp", sumWith(must(comm::joinTcp(tcpOptions)))});
    contestants.push_back({"shm, any memory", sumWith(shared)});
    contestants.push_back({.name = "shm, reserved memory", .sum = sumWith(shared), .memory = reserveFrom(shared)});
    contestants.push_back(makeLimit(setup.memory, rank));
    if (processors.size() >= 2) pinThisThread(std::vector{processors[static_cast<std::size_t>(rank)]});

    for (const auto bytes : sizes) {
        std::vector<float> source(bytes / sizeof(float), 1.0F);
        auto ordinary = source;
        std::vector<Values> places;
        for (const auto& contestant : contestants) {
            places.push_back(contestant.memory(source.size()));
            if (places.back().empty()) places.back() = ordinary;
        }
        std::map<std::string, Samples> samples;
        const int count = bytes > 4'000'000 ? 5 : kSamples;
        for (int round = 0; round < kRounds; ++round)
            for (std::size_t i = 0; i < contestants.size(); ++i)
                for (int sample = -3; sample < count; ++sample) {
                    const Times times = measure(contestants[i], source, places[i], *shared);
                    if (sample < 0) continue;
                    samples[contestants[i].name].sum.push_back(times.sum);
                    samples[contestants[i].name].whole.push_back(times.whole);
                }
        if (rank != 0) continue;
        report(contestants, samples, bytes, json);
    }
}

}  // namespace

int main(int argc, char** argv) {
    bool json = false;
    auto sizes = kSizes;
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--json") == 0) json = true;
        if (std::strcmp(argv[i], "--bytes") == 0 && i + 1 < argc) sizes = {std::strtoull(argv[i + 1], nullptr, 10) / 4 * 4};
    }
    if (sizes[0] == 0) return 2;
    Setup setup;
    std::filesystem::create_directory(setup.folder);
    for (int rank = 0; rank < 2; ++rank) {
        auto listener = comm::listenAt({"127.0.0.1", 0});
        if (!listener.ok()) must(Result<void>(listener.error()));
        setup.addresses.push_back("127.0.0.1:" + std::to_string(listener->port));
        setup.listeners.push_back(std::move(*listener));
    }
    const pid_t child = fork();
    if (child < 0) return 1;
    runRank(child == 0 ? 1 : 0, setup, sizes, json);
    if (child == 0) return 0;
    int status = 0;
    ::waitpid(child, &status, 0);
    std::error_code ignored;
    std::filesystem::remove_all(setup.folder, ignored);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
