#include <base/thread.h>

#include <pthread.h>
#include <sched.h>

namespace lockstep {

std::jthread startThread(std::string name, std::function<void(std::stop_token)> body) {
    return std::jthread([name = name.substr(0, 15), body = std::move(body)](std::stop_token stop) {
        pthread_setname_np(pthread_self(), name.c_str());
        body(stop);
    });
}

bool pinThisThread(std::span<const int> processors) {
    if (processors.empty()) return true;
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const int processor : processors) CPU_SET(static_cast<unsigned>(processor), &set);
    return pthread_setaffinity_np(pthread_self(), sizeof set, &set) == 0;
}

std::vector<int> usableProcessors() {
    cpu_set_t set;
    CPU_ZERO(&set);
    std::vector<int> processors;
    if (sched_getaffinity(0, sizeof set, &set) != 0) return {0};
    for (int i = 0; i < CPU_SETSIZE; ++i)
        if (CPU_ISSET(static_cast<unsigned>(i), &set)) processors.push_back(i);
    return processors;
}

}  // namespace lockstep
