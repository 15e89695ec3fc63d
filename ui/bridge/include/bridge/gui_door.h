// The one crossing from threads of core into the GUI thread.
//
//   GUI object              any other thread
//   GuiDoor m_door{this};   poster = m_door.poster();  …  poster.post([=] { runs later, in the GUI thread });
//
// A poster may outlive the door: what it posts then is dropped. Work that was posted before the door closed but has not run yet is
// dropped too, because Qt removes the events of an object that is destroyed. So posted work may use its GUI object without a guard.
#pragma once

#include <QObject>

#include <functional>
#include <memory>
#include <mutex>

namespace lockstep::bridge {

class GuiPoster {
public:
    // Any thread. Returns at once; the work runs when the GUI thread comes back to its event loop, in the order of posting.
    void post(std::function<void()> work) const;

private:
    friend class GuiDoor;
    struct State {
        std::mutex mutex;
        QObject* inside = nullptr;
    };
    std::shared_ptr<State> m_state = std::make_shared<State>();
};

class GuiDoor {
public:
    // `inside` lives in the GUI thread and owns the door.
    explicit GuiDoor(QObject* inside);
    ~GuiDoor();
    GuiDoor(const GuiDoor&) = delete;
    GuiDoor& operator=(const GuiDoor&) = delete;

    GuiPoster poster() const { return m_poster; }

private:
    GuiPoster m_poster;
};

}  // namespace lockstep::bridge
