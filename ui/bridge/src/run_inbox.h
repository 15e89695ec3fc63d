// What the watch of a run has told and the GUI thread has not taken yet.
//
// Threads: put() from the watch, the rest from the GUI thread.
#pragma once

#include <api/runs.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

namespace lockstep::bridge {

class RunInbox {
public:
    // Joins the update to the last one that waits when it is small; waits while more than a million points are in here (a GUI that can't
    // keep up must not fill the memory) unless closed. True when the inbox was empty before: the GUI thread must be told.
    bool put(const api::RunUpdate& update);
    // The oldest that waits.
    std::optional<api::RunUpdate> take();
    bool holdsBacklog() const;
    void close();

private:
    mutable std::mutex m_mutex;
    std::condition_variable m_room;
    std::deque<api::RunUpdate> m_waiting;
    std::size_t m_points = 0;
    bool m_closed = false;
};

// Number of points an update carries.
std::size_t pointsOf(const api::RunUpdate& update);

// `later` joined to `first`: what a client has afterwards is the same.
void join(api::RunUpdate& first, const api::RunUpdate& later);

}  // namespace lockstep::bridge
