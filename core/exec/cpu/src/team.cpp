#include "team.h"

#include "flush_denormals.h"

#include <base/thread.h>

#include <atomic>
#include <thread>
#include <vector>

namespace lockstep::exec::cpu {

namespace {

// OpenMP ends the process when it can't have a thread; what is thrown here can be caught. (Errors: std::system_error.)
void tryThreads(int count) {
    std::atomic<bool> go{false};
    std::vector<std::jthread> threads;
    try {
        for (int i = 0; i < count; ++i) threads.emplace_back([&go] { go.wait(false); });
    } catch (...) {
        go = true;
        go.notify_all();
        throw;
    }
    go = true;
    go.notify_all();
}

}  // namespace

void Team::enter() {
    if (m_entered == std::this_thread::get_id()) return;
    tryThreads(m_threads - 1);
    m_entered = std::this_thread::get_id();
#pragma omp parallel num_threads(m_threads)
    {
        if (omp_get_thread_num() > 0) FlushDenormals::forThisThread();
    }
    if (m_processors.empty()) return;
#pragma omp parallel num_threads(m_threads)
    {
        const int processor = m_processors[static_cast<std::size_t>(omp_get_thread_num()) % m_processors.size()];
        pinThisThread({&processor, 1});
    }
}

}  // namespace lockstep::exec::cpu
