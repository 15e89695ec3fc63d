#include <support/test.h>

#include <bridge/gui_door.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

using namespace lockstep::bridge;

namespace {

class Room : public QObject {
public:
    GuiDoor door{this};
    std::vector<int> seen;
    std::thread::id thread;
};

}  // namespace

class GuiDoorTest : public QObject {
    Q_OBJECT
private slots:
    void runsInOrderInThisThread() {
        Room room;
        std::jthread worker([poster = room.door.poster(), &room] {
            for (int i = 0; i < 100; ++i)
                poster.post([i, &room] {
                    room.seen.push_back(i);
                    room.thread = std::this_thread::get_id();
                });
        });
        QTRY_COMPARE(room.seen.size(), std::size_t{100});
        QVERIFY(std::is_sorted(room.seen.begin(), room.seen.end()));
        QVERIFY(room.thread == std::this_thread::get_id());
    }
    void whatWaitsIsDroppedWithItsObject() {
        int ran = 0;
        auto room = std::make_unique<Room>();
        const auto poster = room->door.poster();
        poster.post([&] { ++ran; });
        room.reset();
        poster.post([&] { ++ran; });
        QCoreApplication::sendPostedEvents();
        QCoreApplication::processEvents();
        QCOMPARE(ran, 0);
    }
    void destroyedWhileManyPost() {
        for (int round = 0; round < 50; ++round) {
            auto room = std::make_unique<Room>();
            auto* inside = room.get();
            std::atomic<bool> go = true;
            std::vector<std::jthread> workers;
            for (int i = 0; i < 3; ++i)
                workers.emplace_back([poster = room->door.poster(), inside, &go] {
                    while (go) {
                        poster.post([inside] { inside->seen.push_back(1); });
                        std::this_thread::yield();
                    }
                });
            QTRY_VERIFY(!room->seen.empty());
            room.reset();
            go = false;
            workers.clear();
            QCoreApplication::processEvents();
        }
    }
};

LOCKSTEP_TEST(GuiDoorTest)
#include "gui_door_test.moc"
