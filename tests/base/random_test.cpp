#include <support/test.h>

#include <base/random.h>

using namespace lockstep;

class RandomTest : public QObject {
    Q_OBJECT
private slots:
    // Known answers published with Random123 (kat_vectors, philox4x32 10).
    void knownAnswers() {
        QVERIFY((philox4x32({0, 0, 0, 0}, {0, 0}) == PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
        QVERIFY((philox4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}) ==
                 PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
        QVERIFY((philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
                 PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
    }
    void anyPositionIsReachedDirectly() {
        Philox whole(7, 3);
        for (std::uint64_t at = 0; at < 40; ++at) {
            Philox jumped(7, 3, at);
            QCOMPARE(jumped.nextU32(), whole.nextU32());
        }
    }
    void belowStaysBelow() {
        Philox stream(1, 2);
        std::array<int, 7> seen{};
        for (int i = 0; i < 70000; ++i) ++seen.at(stream.nextBelow(7));
        for (const int count : seen) QVERIFY(count > 9500 && count < 10500);
    }
};

LOCKSTEP_TEST(RandomTest)
#include "random_test.moc"
