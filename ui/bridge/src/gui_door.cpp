#include <bridge/gui_door.h>

namespace lockstep::bridge {

void GuiPoster::post(std::function<void()> work) const {
    // Held while posting: the object can't be destroyed in between.
    const std::scoped_lock lock(m_state->mutex);
    if (m_state->inside) QMetaObject::invokeMethod(m_state->inside, std::move(work), Qt::QueuedConnection);
}

GuiDoor::GuiDoor(QObject* inside) {
    const std::scoped_lock lock(m_poster.m_state->mutex);
    m_poster.m_state->inside = inside;
}

GuiDoor::~GuiDoor() {
    const std::scoped_lock lock(m_poster.m_state->mutex);
    m_poster.m_state->inside = nullptr;
}

}  // namespace lockstep::bridge
