// Every collective over every transport against exact sums.
#include "ranks.h"

#include <support/sanitizer.h>
#include <support/test.h>

#include <base/random.h>

#include <algorithm>
#include <cstring>

using namespace lockstep;
using comm::Element;

namespace {

constexpr int kRounds = 3;
// More bytes than a slot of 64 KiB in each element type, so several pieces.
constexpr std::size_t kSeveralPieces = test::kThreadSanitizer ? 17011 : 70001;

// Small integers: every sum is exact in every element type, whatever the order.
template <class T>
std::vector<T> contribution(int rank, int round, std::size_t length) {
    std::vector<T> values(length);
    for (std::size_t i = 0; i < length; ++i) values[i] = static_cast<T>((i * 7 + static_cast<std::size_t>(rank * 13 + round * 5)) % 1000);
    return values;
}

template <class T>
std::vector<T> expectedSum(int size, int round, std::size_t length) {
    std::vector<T> sum(length);
    for (int rank = 0; rank < size; ++rank) {
        const auto values = contribution<T>(rank, round, length);
        for (std::size_t i = 0; i < length; ++i) sum[i] = static_cast<T>(sum[i] + values[i]);
    }
    return sum;
}

// The first thing that went wrong on any rank, or "".
template <class T>
std::string sumsAreExact(std::vector<std::unique_ptr<comm::Group>>& groups, Element element, std::size_t length) {
    std::vector<std::string> wrong(groups.size());
    const int size = static_cast<int>(groups.size());
    test::onEachRank(groups, [&](int rank, comm::Group& group) {
        for (int round = 0; round < kRounds && wrong[rank].empty(); ++round) {
            auto values = contribution<T>(rank, round, length);
            const auto done = group.allReduce({.data = std::as_writable_bytes(std::span(values)), .element = element});
            if (!done.ok())
                wrong[rank] = done.error().toText();
            else if (values != expectedSum<T>(size, round, length))
                wrong[rank] = "wrong sum on rank " + std::to_string(rank) + " in round " + std::to_string(round);
        }
    });
    for (const auto& text : wrong)
        if (!text.empty()) return text;
    return {};
}

std::string sumsAreExact(std::vector<std::unique_ptr<comm::Group>>& groups, Element element, std::size_t length) {
    switch (element) {
        case Element::F32: return sumsAreExact<float>(groups, element, length);
        case Element::F64: return sumsAreExact<double>(groups, element, length);
        case Element::I32: return sumsAreExact<std::int32_t>(groups, element, length);
        case Element::I64: return sumsAreExact<std::int64_t>(groups, element, length);
    }
    return "no such element";
}

void everyTransportAndSize() {
    QTest::addColumn<QString>("transport");
    QTest::addColumn<int>("size");
    for (const auto* transport : test::kTransports)
        for (int size = 1; size <= 5; ++size) QTest::addRow("%s %d", transport, size) << QString(transport) << size;
}

}  // namespace

class CollectivesTest : public QObject {
    Q_OBJECT
private slots:
    void exactSums_data() { everyTransportAndSize(); }
    void exactSums() {
        QFETCH(QString, transport);
        QFETCH(int, size);
        auto groups = test::makeGroups(transport.toStdString(), size, 64 << 10);
        for (const std::size_t length : std::vector<std::size_t>{0, 1, 3, 1000, 4099, 16411, kSeveralPieces})
            for (const auto element : {Element::F32, Element::F64, Element::I32, Element::I64}) {
                const auto wrong = sumsAreExact(groups, element, length);
                QVERIFY2(wrong.empty(), (wrong + ", length " + std::to_string(length)).c_str());
            }
    }

    void sameBitsEverywhere_data() { everyTransportAndSize(); }
    void sameBitsEverywhere() {
        QFETCH(QString, transport);
        QFETCH(int, size);
        auto groups = test::makeGroups(transport.toStdString(), size);
        for (const std::size_t length : std::vector<std::size_t>{17, 1021, kSeveralPieces + 2}) {
            std::vector<std::vector<float>> values(size);
            for (int rank = 0; rank < size; ++rank) {
                Philox random(length, rank);
                values[rank].resize(length);
                for (auto& value : values[rank]) value = static_cast<float>(random.nextNormal() * 1e3);
            }
            const auto before = values;
            test::onEachRank(groups, [&](int rank, comm::Group& group) {
                if (!group.allReduce({.data = std::as_writable_bytes(std::span(values[rank]))}).ok()) values[rank].clear();
            });
            QCOMPARE(values[0].size(), length);
            for (int rank = 1; rank < size; ++rank) {
                QCOMPARE(values[rank].size(), length);
                QCOMPARE(std::memcmp(values[rank].data(), values[0].data(), length * sizeof(float)), 0);
            }
            for (std::size_t i = 0; i < length; ++i) {
                double sum = 0;
                double scale = 0;
                for (int rank = 0; rank < size; ++rank) {
                    sum += before[rank][i];
                    scale += std::abs(before[rank][i]);
                }
                QVERIFY(std::abs(values[0][i] - sum) <= scale * 1e-6);
            }
        }
    }

    void broadcastFromEveryRoot_data() { everyTransportAndSize(); }
    void broadcastFromEveryRoot() {
        QFETCH(QString, transport);
        QFETCH(int, size);
        auto groups = test::makeGroups(transport.toStdString(), size, 64 << 10);
        std::vector<std::string> wrong(size);
        test::onEachRank(groups, [&](int rank, comm::Group& group) {
            for (const std::size_t length : std::vector<std::size_t>{0, 1, 5000, 2 * kSeveralPieces})
                for (int root = 0; root < size; ++root) {
                    const auto sent = contribution<std::int32_t>(root, 1, length);
                    auto values = rank == root ? sent : std::vector<std::int32_t>(length, -1);
                    const auto done = group.broadcast({.data = std::as_writable_bytes(std::span(values)), .root = root});
                    if (!done.ok()) wrong[rank] = done.error().toText();
                    if (values != sent) wrong[rank] = "wrong bytes";
                    // A sum between two broadcasts: slots and streams are shared by all kinds.
                    auto ones = std::vector<std::int32_t>(100, 1);
                    if (!group.allReduce({.data = std::as_writable_bytes(std::span(ones)), .element = Element::I32}).ok() ||
                        ones[99] != size)
                        wrong[rank] = "wrong sum after a broadcast";
                }
        });
        for (const auto& text : wrong) QCOMPARE(text, std::string());
    }

    void barrierHoldsEveryoneBack_data() { everyTransportAndSize(); }
    void barrierHoldsEveryoneBack() {
        QFETCH(QString, transport);
        QFETCH(int, size);
        auto groups = test::makeGroups(transport.toStdString(), size);
        std::atomic<int> arrived = 0;
        std::atomic<int> early = 0;
        test::onEachRank(groups, [&](int, comm::Group& group) {
            for (int round = 1; round <= 50; ++round) {
                ++arrived;
                if (!group.barrier(Deadline::in(Seconds(20))).ok() || arrived < round * size) ++early;
            }
        });
        QCOMPARE(early.load(), 0);
        QCOMPARE(arrived.load(), 50 * size);
    }

    void unalignedMemory_data() { everyTransportAndSize(); }
    void unalignedMemory() {
        QFETCH(QString, transport);
        QFETCH(int, size);
        auto groups = test::makeGroups(transport.toStdString(), size);
        std::atomic<int> wrong = 0;
        test::onEachRank(groups, [&](int rank, comm::Group& group) {
            constexpr std::size_t kLength = 1000;
            std::vector<std::byte> memory(kLength * sizeof(double) + 1);
            const auto values = contribution<double>(rank, 0, kLength);
            std::memcpy(memory.data() + 1, values.data(), kLength * sizeof(double));
            if (!group.allReduce({.data = std::span(memory).subspan(1), .element = Element::F64}).ok()) ++wrong;
            const auto expected = expectedSum<double>(size, 0, kLength);
            if (std::memcmp(memory.data() + 1, expected.data(), kLength * sizeof(double)) != 0) ++wrong;
        });
        QCOMPARE(wrong.load(), 0);
    }

    void wrongCalls() {
        auto groups = test::makeGroups("threads", 1);
        groups.push_back(comm::makeSingleGroup());
        std::vector<std::byte> bytes(6);
        for (auto& group : groups) {
            VERIFY_ERROR(group->allReduce({.data = bytes}), "X001");
            VERIFY_ERROR(group->broadcast({.data = bytes, .root = 1}), "X001");
            VERIFY_OK(group->broadcast({.data = bytes, .root = 0}));
        }
    }
};

LOCKSTEP_TEST(CollectivesTest)
#include "collectives_test.moc"
