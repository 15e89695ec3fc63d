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

// Work per second of all threads: each does `turn` again and again until the time is over; work done = sum of what the turns return.
double rateOf(std::span<const int> processors, Seconds time, const std::function<double(std::size_t thread)>& turn) {
    std::vector<double> rates(processors.size());
    std::barrier begin(static_cast<std::ptrdiff_t>(processors.size()));
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < processors.size(); ++i)
        threads.push_back(startThread("probe", [&, i](std::stop_token) {
            pinThisThread(processors.subspan(i, 1));
            turn(i);  // memory is there, the processor is awake
            begin.arrive_and_wait();
            const auto start = steady_clock::now();
            double work = 0;
            Seconds passed{};
            do {
                work += turn(i);
                passed = steady_clock::now() - start;
            } while (passed < time);
            rates[i] = work / passed.count();
        }));
    threads.clear();
    double sum = 0;
    for (const double rate : rates) sum += rate;
    return sum;
}

}  // namespace

Limits probeLimits(std::span<const int> processors, Seconds each) {
    std::atomic<float> kept{0};  // so that no loop is left out
    Limits limits;
    limits.flopsPerSecond = rateOf(processors, each, [&](std::size_t) {
        float result = 0;
        const double work = multiplyAdds(kTurns, result);
        kept.store(result, std::memory_order_relaxed);
        return work;
    });
    const std::size_t elements = elementsFor(processors.size());
    const double bytes = static_cast<double>(elements) * sizeof(float);
    std::deque<Array> a, b, c;
    for (std::size_t i = 0; i < processors.size(); ++i)
        for (auto* arrays : {&a, &b, &c}) arrays->emplace_back(elements);
    const double reading = rateOf(processors, each / 2, [&](std::size_t i) {
        kept.store(readAll(b[i].values()) + readAll(c[i].values()), std::memory_order_relaxed);
        return 2 * bytes;
    });
    const double writing = rateOf(processors, each / 2, [&](std::size_t i) {
        triad(a[i].values(), b[i].values(), c[i].values(), 0.5F);
        return 3 * bytes;
    });
    limits.bytesPerSecond = std::max(reading, writing);
    return limits;
}

}  // namespace lockstep::bench
