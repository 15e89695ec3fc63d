// The first error of a group, kept for every later call. Thread safe.
#pragma once

#include <base/error.h>

#include <atomic>
#include <mutex>

namespace lockstep::comm {

class Breakage {
public:
    bool broken() const { return m_broken.load(std::memory_order_acquire); }

    // Keeps `error` when it is the first one. True when it was.
    bool set(Error error) {
        const std::scoped_lock lock(m_mutex);
        if (m_broken.load(std::memory_order_relaxed)) return false;
        m_error = std::move(error);
        m_broken.store(true, std::memory_order_release);
        return true;
    }

    // Precondition: broken().
    Error error() const {
        const std::scoped_lock lock(m_mutex);
        return m_error;
    }

private:
    mutable std::mutex m_mutex;
    Error m_error;
    std::atomic<bool> m_broken = false;
};

}  // namespace lockstep::comm
