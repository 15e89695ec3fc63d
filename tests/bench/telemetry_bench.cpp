// What a sample costs the training thread (Ring::push), and what it costs the agent (drain, spool) and the controller (batches).
#include <base/file.h>
#include <telemetry/codec.h>
#include <telemetry/ring.h>
#include <telemetry/spool.h>

#include <fmt/core.h>

#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

using namespace lockstep;
using namespace lockstep::telemetry;

namespace {

constexpr std::size_t kSamples = 1u << 15;
constexpr int kRounds = 200;

double nanoseconds(std::chrono::steady_clock::time_point since, std::size_t count) {
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - since).count() / double(count);
}

void print(const char* what, std::vector<double> each) {
    std::sort(each.begin(), each.end());
    fmt::print("{{\"what\":\"{}\",\"nanoseconds\":{{\"p10\":{:.1f},\"p50\":{:.1f},\"p95\":{:.1f}}}}}\n", what, each[each.size() / 10],
               each[each.size() / 2], each[each.size() * 95 / 100]);
}

template <class Value>
Value must(Result<Value> result) {
    if (result.ok()) return std::move(result).value();
    fmt::print(stderr, "{}\n", result.error().toText());
    std::exit(1);
}

}  // namespace

int main() {
    const auto folder = std::filesystem::temp_directory_path() / ("lockstep-bench-" + std::to_string(::getpid()));
    if (const auto made = makeFolders(folder); !made.ok()) return 1;
    auto ring = must(Ring::create(kSamples));
    auto spool = must(Spool::open(folder / "spool"));
    std::vector<double> push, drain, append, batch;
    std::uint64_t step = 0;
    for (int round = 0; round < kRounds; ++round) {
        auto start = std::chrono::steady_clock::now();
        for (std::size_t i = 0; i < kSamples; ++i) {
            ++step;
            ring.push({double(step), 0.5 * double(step), step, static_cast<Series>(step % 12), 0, 0});
        }
        push.push_back(nanoseconds(start, kSamples));
        start = std::chrono::steady_clock::now();
        const auto samples = ring.drain();
        drain.push_back(nanoseconds(start, kSamples));
        start = std::chrono::steady_clock::now();
        must(spool.append(samples));
        append.push_back(nanoseconds(start, kSamples));
        if (const auto freed = spool.discardBefore(spool.position()); !freed.ok()) return 1;
        start = std::chrono::steady_clock::now();
        if (toBatches(samples).size() != 12) return 1;
        batch.push_back(nanoseconds(start, kSamples));
    }
    print("push", push);
    print("drain", drain);
    print("spool_append", append);
    print("to_batches", batch);
    std::filesystem::remove_all(folder);
    return ring.dropped() == 0 ? 0 : 1;
}
