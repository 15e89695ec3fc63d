#include <bench/limits.h>

#include "limit_loops.h"

#include <base/thread.h>

#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <barrier>
#include <deque>
#include <functional>
#include <new>
#include <vector>

namespace lockstep::bench {
namespace {

using std::chrono::steady_clock;

constexpr std::size_t kLeastBytes = 32u << 20;  // of one array
constexpr std::uint64_t kTurns = 20'000;        // of multiply-adds between two looks at the clock: about 0.1 ms

// Elements of each array so that two of them on every thread are four times the last cache.
std::size_t elementsFor(std::size_t threads) {
    const long cache = ::sysconf(_SC_LEVEL3_CACHE_SIZE);
    const std::size_t wanted = 2 * static_cast<std::size_t>(std::max(cache, 0L)) / threads;
    return std::max(kLeastBytes, wanted) / sizeof(float) / 64 * 64;
}

// One array, aligned for stores past the caches.
class Array {
public:
    explicit Array(std::size_t elements)
        : m_values(static_cast<float*>(::operator new (elements * sizeof(float), std::align_val_t{64}))), m_elements(elements) {
        std::fill_n(m_values, elements, 0.5F);
    }
    ~Array() { ::operator delete (m_values, std::align_val_t{64}); }
    Array(const Array&) = delete;
    Array& operator=(const Array&) = delete;
    std::span<float> values() { return {m_values, m_elements}; }

private:
    float* m_values;
    std::size_t m_elements;
};

// Work per second of all threads together.
struct Rate {
    double mean = 0;
    double best = 0;  // sum of the threads' fastest turns
};

// Each does `turn`, which gives the work it did, again and again until the time is over.
Rate rateOf(std::span<const int> processors, Seconds time, const std::function<double(std::size_t thread)>& turn) {
    std::vector<Rate> rates(processors.size());
    std::barrier begin(static_cast<std::ptrdiff_t>(processors.size()));
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < processors.size(); ++i)
        threads.push_back(startThread("probe", [&, i](std::stop_token) {
            pinThisThread(processors.subspan(i, 1));
            turn(i);  // memory is there, the processor is awake
            begin.arrive_and_wait();
            const auto start = steady_clock::now();
            auto before = start;
            double all = 0, best = 0;
            do {
                const double work = turn(i);
                const auto now = steady_clock::now();
                best = std::max(best, work / Seconds(now - before).count());
                all += work;
                before = now;
            } while (before - start < time);
            rates[i] = {all / Seconds(before - start).count(), best};
        }));
    threads.clear();
    Rate sum;
    for (const Rate& rate : rates) sum = {sum.mean + rate.mean, sum.best + rate.best};
    return sum;
}

}  // namespace

Limits probeLimits(std::span<const int> processors, Seconds each) {
    std::atomic<float> kept{0};  // so that no loop is left out
    Limits limits;
    const Rate adds = rateOf(processors, each, [&](std::size_t) {
        float result = 0;
        const double work = multiplyAdds(kTurns, result);
        kept.store(result, std::memory_order_relaxed);
        return work;
    });
    limits.flopsPerSecond = adds.best;
    limits.quiet = adds.mean / adds.best;
    const std::size_t elements = elementsFor(processors.size());
    const double bytes = static_cast<double>(elements) * sizeof(float);
    std::deque<Array> a, b, c;
    for (std::size_t i = 0; i < processors.size(); ++i)
        for (auto* arrays : {&a, &b, &c}) arrays->emplace_back(elements);
    const Rate reading = rateOf(processors, each / 2, [&](std::size_t i) {
        kept.store(readAll(b[i].values()) + readAll(c[i].values()), std::memory_order_relaxed);
        return 2 * bytes;
    });
    const Rate writing = rateOf(processors, each / 2, [&](std::size_t i) {
        triad(a[i].values(), b[i].values(), c[i].values(), 0.5F);
        return 3 * bytes;
    });
    limits.bytesPerSecond = std::max(reading.best, writing.best);
    return limits;
}

}  // namespace lockstep::bench
