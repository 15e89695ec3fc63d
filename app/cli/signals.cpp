#include "signals.h"

#include <base/thread.h>

#include <pthread.h>
#include <ctime>

namespace lockstep::cli {
namespace {

constexpr long kLookNanoseconds = 100'000'000;

}  // namespace

SignalWatch::SignalWatch(std::initializer_list<int> signals, std::function<void(int)> arrived) : m_arrived(std::move(arrived)) {
    sigemptyset(&m_set);
    for (const int signal : signals) sigaddset(&m_set, signal);
    pthread_sigmask(SIG_BLOCK, &m_set, &m_before);
    m_thread = startThread("signals", [this](std::stop_token stop) { loop(stop); });
}

SignalWatch::~SignalWatch() {
    m_thread.request_stop();
    m_thread.join();
    pthread_sigmask(SIG_SETMASK, &m_before, nullptr);
}

std::optional<int> SignalWatch::taken() const {
    const std::scoped_lock lock(m_mutex);
    return m_first;
}

void SignalWatch::loop(std::stop_token stop) {
    const timespec wait{0, kLookNanoseconds};
    while (!stop.stop_requested()) {
        const int signal = sigtimedwait(&m_set, nullptr, &wait);
        if (signal <= 0) continue;
        {
            const std::scoped_lock lock(m_mutex);
            if (!m_first) m_first = signal;
        }
        if (m_arrived) m_arrived(signal);
    }
}

}  // namespace lockstep::cli
