// Sums in memory that belongs to the group.
#include "ranks.h"

#include <support/sanitizer.h>
#include <support/test.h>

#include <base/random.h>

#include <cstring>

using namespace lockstep;
using namespace std::chrono_literals;
using comm::Element;

namespace {

constexpr std::size_t kEnough = 5'003;  // float64 values; a reservation of less gains nothing

std::span<std::byte> reserve(comm::Group& group, std::size_t bytes) {
    auto memory = group.reserve(bytes, Deadline::in(20s));
    return memory.ok() ? *memory : std::span<std::byte>();
}

template <class T>
std::span<T> valuesIn(std::span<std::byte> memory) {
    return {reinterpret_cast<T*>(memory.data()), memory.size() / sizeof(T)};
}

// Small integers, so that every sum is exact.
template <class T>
T valueOf(int rank, std::size_t index, int round) {
    return static_cast<T>((index * 7 + static_cast<std::size_t>(rank * 13 + round * 5)) % 1000);
}

template <class T>
std::string sumsAreExact(comm::Group& group, std::span<std::byte> memory, Element element, int round) {
    const auto values = valuesIn<T>(memory);
    const auto info = group.info();
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = valueOf<T>(info.rank, i, round);
    const auto done = group.allReduce({.data = memory, .element = element, .deadline = Deadline::in(20s)});
    if (!done.ok()) return done.error().toText();
    for (std::size_t i = 0; i < values.size(); ++i) {
        T expected{};
        for (int rank = 0; rank < info.size; ++rank) expected = static_cast<T>(expected + valueOf<T>(rank, i, round));
        if (values[i] != expected) return "wrong sum at " + std::to_string(i) + " of rank " + std::to_string(info.rank);
    }
    return {};
}

void everySize() {
    QTest::addColumn<int>("size");
    for (int size = 2; size <= 5; ++size) QTest::addRow("%d ranks", size) << size;
}

}  // namespace

class ReservedTest : public QObject {
    Q_OBJECT
private slots:
    void exactSumsInTurnWithOthers_data() { everySize(); }
    void exactSumsInTurnWithOthers() {
        QFETCH(int, size);
        auto groups = test::makeGroups("shm", size, 64 << 10);
        std::vector<std::string> wrong(size);
        test::onEachRank(groups, [&](int rank, comm::Group& group) {
            const auto note = [&](const std::string& text) {
                if (wrong[rank].empty()) wrong[rank] = text;
            };
            std::vector<std::span<std::byte>> memories;
            for (const std::size_t count : {kEnough, 3 * kEnough + 1, test::kThreadSanitizer ? 4 * kEnough : 20 * kEnough}) {
                memories.push_back(reserve(group, count * sizeof(double)));
                if (memories.back().size() != count * sizeof(double)) return note("no memory");
                if (reinterpret_cast<std::uintptr_t>(memories.back().data()) % 64 != 0) note("not aligned");
                if (std::ranges::any_of(memories.back(), [](std::byte byte) { return byte != std::byte{0}; })) note("not zero");
            }
            for (int round = 0; round < (test::kThreadSanitizer ? 2 : 20); ++round) {
                for (const auto memory : memories) {
                    note(sumsAreExact<float>(group, memory, Element::F32, round));
                    note(sumsAreExact<double>(group, memory, Element::F64, round));
                    note(sumsAreExact<std::int32_t>(group, memory, Element::I32, round));
                    note(sumsAreExact<std::int64_t>(group, memory, Element::I64, round));
                }
                std::vector<std::byte> own(10'000 * sizeof(float));
                note(sumsAreExact<float>(group, own, Element::F32, round));
                // A part of reserved memory is memory like any other.
                note(sumsAreExact<float>(group, memories[1].subspan(64, 40'000), Element::F32, round));
                if (!group.broadcast({.data = memories[0], .root = round % group.info().size}).ok()) note("no broadcast");
            }
        });
        for (const auto& text : wrong) QCOMPARE(text, std::string());
    }

    void sameBitsAsInOtherMemory_data() { everySize(); }
    void sameBitsAsInOtherMemory() {
        QFETCH(int, size);
        constexpr std::size_t kCount = 101'770;
        auto groups = test::makeGroups("shm", size);
        std::vector<std::vector<float>> own(size), reserved(size);
        test::onEachRank(groups, [&](int rank, comm::Group& group) {
            Philox random(7, rank);
            own[rank].resize(kCount);
            for (auto& value : own[rank]) value = static_cast<float>(random.nextNormal() * 1e3);
            const auto memory = reserve(group, kCount * sizeof(float));
            if (memory.empty()) return;
            std::memcpy(memory.data(), own[rank].data(), memory.size());
            const bool summed =
                group.allReduce({.data = memory}).ok() && group.allReduce({.data = std::as_writable_bytes(std::span(own[rank]))}).ok();
            if (summed) reserved[rank].assign(valuesIn<float>(memory).begin(), valuesIn<float>(memory).end());
        });
        for (int rank = 0; rank < size; ++rank) {
            QCOMPARE(reserved[rank].size(), kCount);
            QCOMPARE(std::memcmp(reserved[rank].data(), own[0].data(), kCount * sizeof(float)), 0);
        }
    }

    void othersHaveNone_data() {
        QTest::addColumn<QString>("transport");
        for (const char* transport : {"threads", "tcp"}) QTest::newRow(transport) << QString(transport);
    }
    void othersHaveNone() {
        QFETCH(QString, transport);
        auto groups = test::makeGroups(transport.toStdString(), 2);
        groups.push_back(comm::makeSingleGroup());
        for (auto& group : groups) {
            const auto memory = group->reserve(1 << 20, Deadline::in(1s));
            VERIFY_OK(memory);
            QVERIFY(memory->empty());
        }
    }

    // More than any /dev/shm has: all ranks are told, and the group goes on.
    void noRoomIsNoError() {
        auto groups = test::makeGroups("shm", 2);
        std::vector<std::string> wrong(2);
        test::onEachRank(groups, [&](int rank, comm::Group& group) {
            const auto memory = group.reserve(std::size_t{1} << 39, Deadline::in(20s));
            if (!memory.ok()) wrong[rank] = memory.error().toText();
            if (memory.ok() && !memory->empty()) wrong[rank] = "half a tebibyte";
            const auto small = reserve(group, kEnough * sizeof(double));
            if (small.empty()) wrong[rank] = "no memory afterwards";
            if (wrong[rank].empty()) wrong[rank] = sumsAreExact<double>(group, small, Element::F64, 1);
        });
        for (const auto& text : wrong) QCOMPARE(text, std::string());
    }

    void differencesAreRefused_data() {
        QTest::addColumn<bool>("differentSizes");
        QTest::newRow("sizes of reservations") << true;
        QTest::newRow("reserved memory on one side") << false;
    }
    void differencesAreRefused() {
        QFETCH(bool, differentSizes);
        auto groups = test::makeGroups("shm", 2);
        std::vector<Result<void>> results(2);
        test::onEachRank(groups, [&](int rank, comm::Group& group) {
            if (differentSizes) {
                const auto memory = group.reserve(rank == 0 ? 40'000 : 50'000, Deadline::in(10s));
                if (!memory.ok()) results[rank] = memory.error();
                return;
            }
            const auto memory = reserve(group, 40'000);
            std::vector<std::byte> own(40'000);
            results[rank] = group.allReduce({.data = rank == 0 ? memory : std::span(own), .deadline = Deadline::in(10s)});
        });
        const std::string expected = differentSizes ? "reservation of 40000 bytes" : "bytes (f32) in reserved memory 1";
        bool named = false;
        for (const auto& result : results) {
            QVERIFY(!result.ok());
            QVERIFY2(result.error().code == "R508" || result.error().code == "R506", result.error().toText().c_str());
            named = named || (result.error().code == "R508" && result.error().message.find(expected) != std::string::npos);
        }
        QVERIFY(named);
    }

    void deadlineNamesTheLateRank() {
        auto groups = test::makeGroups("shm", 3);
        std::vector<Result<void>> results(3);
        test::onEachRank(groups, [&](int rank, comm::Group& group) {
            const auto memory = reserve(group, 40'000);
            if (rank != 1) results[rank] = group.allReduce({.data = memory, .deadline = Deadline::in(300ms)});
        });
        for (const int rank : {0, 2}) {
            QVERIFY(!results[rank].ok());
            const auto& error = results[rank].error();
            QVERIFY2(error.code == "R505" || error.code == "R506", error.toText().c_str());
            QVERIFY2(error.message.find("Rank 1 didn't arrive at all-reduce of 40000 bytes") != std::string::npos, error.toText().c_str());
        }
    }

    void abortWakesAWaitingCall() {
        auto groups = test::makeGroups("shm", 2);
        const auto why = makeError("R507", {{"why", "epoch 2 began"}});
        Result<void> waiting;
        test::onEachRank(2, [&](int rank) {
            const auto memory = reserve(*groups[rank], 40'000);
            if (rank == 0) waiting = groups[0]->allReduce({.data = memory, .deadline = Deadline::in(60s)});
            if (rank == 1) groups[0]->abort(why);
        });
        QVERIFY(!waiting.ok());
        QVERIFY(waiting.error() == why);
    }
};

LOCKSTEP_TEST(ReservedTest)
#include "reserved_test.moc"
