#include "run_inbox.h"

#include <algorithm>
#include <iterator>

namespace lockstep::bridge {
namespace {

constexpr std::size_t kMostPointsWaiting = 1'000'000;
constexpr std::size_t kMostPointsJoined = 65'536;
constexpr auto kLookEvery = std::chrono::milliseconds(200);

// The same series' points one after the other become one entry.
void joinPoints(std::vector<api::SeriesPoints>& first, const std::vector<api::SeriesPoints>& later) {
    for (const auto& added : later) {
        const auto found = std::ranges::find(first, added.key, &api::SeriesPoints::key);
        if (found == first.end()) {
            first.push_back(added);
            continue;
        }
        auto& points = found->points;
        points.erase(std::ranges::lower_bound(points, added.from, {}, &api::Point::step), points.end());
        points.insert(points.end(), added.points.begin(), added.points.end());
        found->from = std::min(found->from, added.from);
    }
}

}  // namespace

std::size_t pointsOf(const api::RunUpdate& update) {
    std::size_t count = 0;
    for (const auto& series : update.points) count += series.points.size();
    return count;
}

void join(api::RunUpdate& first, const api::RunUpdate& later) {
    first.summary = later.summary;
    first.more = later.more;
    if (!later.summary.problem) first.ranks = later.ranks;
    first.events.insert(first.events.end(), later.events.begin(), later.events.end());
    joinPoints(first.points, later.points);
}

bool RunInbox::put(const api::RunUpdate& update) {
    const auto added = pointsOf(update);
    std::unique_lock lock(m_mutex);
    while (!m_closed && !m_waiting.empty() && m_points + added > kMostPointsWaiting) m_room.wait_for(lock, kLookEvery);
    if (m_closed) return false;
    const bool wasEmpty = m_waiting.empty();
    const bool fits = !wasEmpty && update.kind == api::UpdateKind::Next && !update.summary.problem && !m_waiting.back().summary.problem &&
                      pointsOf(m_waiting.back()) + added <= kMostPointsJoined;
    if (fits)
        join(m_waiting.back(), update);
    else
        m_waiting.push_back(update);
    m_points += added;
    return wasEmpty;
}

std::optional<api::RunUpdate> RunInbox::take() {
    const std::scoped_lock lock(m_mutex);
    if (m_waiting.empty()) return std::nullopt;
    auto update = std::move(m_waiting.front());
    m_waiting.pop_front();
    m_points = 0;
    for (const auto& waiting : m_waiting) m_points += pointsOf(waiting);
    m_room.notify_all();
    return update;
}

bool RunInbox::holdsBacklog() const {
    const std::scoped_lock lock(m_mutex);
    return m_waiting.size() > 1;
}

void RunInbox::close() {
    const std::scoped_lock lock(m_mutex);
    m_closed = true;
    m_room.notify_all();
}

}  // namespace lockstep::bridge
