#include "inbox.h"

#include <utility>

namespace lockstep::control {

void Inbox::put(Letter letter) {
    const std::scoped_lock lock(m_mutex);
    m_letters.push_back(std::move(letter));
    m_arrived.notify_one();
}

std::optional<Letter> Inbox::take(Deadline deadline) {
    std::unique_lock lock(m_mutex);
    if (!m_arrived.wait_until(lock, deadline.at(), [&] { return !m_letters.empty(); })) return std::nullopt;
    auto letter = std::move(m_letters.front());
    m_letters.pop_front();
    return letter;
}

}  // namespace lockstep::control
