// The newest facts of a run, written by the controller's thread and read by its socket's calls.
#pragma once

#include <control/client.h>

#include <mutex>
#include <utility>

namespace lockstep::control {

class StatusBoard {
public:
    void set(RunStatus status) {
        const std::scoped_lock lock(m_mutex);
        m_status = std::move(status);
    }
    RunStatus get() const {
        const std::scoped_lock lock(m_mutex);
        return m_status;
    }

private:
    mutable std::mutex m_mutex;
    RunStatus m_status;
};

}  // namespace lockstep::control
