// Signals as values: blocked in every thread made afterwards, taken one by one by a thread of our own ("signals").
#pragma once

#include <csignal>
#include <functional>
#include <initializer_list>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace lockstep::cli {

class SignalWatch {
public:
    // Before other threads start. `arrived` is called on "signals" for each signal; may be empty. The old mask comes back at the end.
    explicit SignalWatch(std::initializer_list<int> signals, std::function<void(int signal)> arrived = {});
    ~SignalWatch();
    SignalWatch(const SignalWatch&) = delete;
    SignalWatch& operator=(const SignalWatch&) = delete;

    // The first signal that arrived.
    std::optional<int> taken() const;

private:
    void loop(std::stop_token stop);

    std::function<void(int)> m_arrived;
    sigset_t m_set{};
    sigset_t m_before{};
    mutable std::mutex m_mutex;
    std::optional<int> m_first;
    std::jthread m_thread;  // last: ends before what it uses
};

}  // namespace lockstep::cli
