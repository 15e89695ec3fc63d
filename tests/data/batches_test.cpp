#include <support/test.h>

#include <data/batches.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

using namespace lockstep::data;

class BatchesTest : public QObject {
    Q_OBJECT
private slots:
    void scheduleKeepsTheShortBatch() {
        const Schedule schedule(100, 32, 2);
        QCOMPARE(schedule.stepsPerEpoch(), 4u);
        QCOMPARE(schedule.totalSteps(), 8u);
        QVERIFY((schedule.at(1) == StepRows{1, 0, {0, 32}, false}));
        QVERIFY((schedule.at(4) == StepRows{4, 0, {96, 4}, true}));
        QVERIFY((schedule.at(5) == StepRows{5, 1, {0, 32}, false}));
        QCOMPARE(Schedule(100, 32, 2, 5).totalSteps(), 5u);
        QCOMPARE(Schedule(100, 32, 2, 50).totalSteps(), 8u);
        QCOMPARE(Schedule(3, 32, 1).at(1).batch.count, 3);
    }
    void slicesAreCutLikeKeras() {
        const auto counts = [](std::int64_t rows, int total) {
            std::vector<std::int64_t> all;
            for (int i = 0; i < total; ++i) all.push_back(rowsOfShare(rows, {total, i, 1}).count);
            return all;
        };
        QVERIFY((counts(5, 4) == std::vector<std::int64_t>{2, 2, 1, 0}));
        QVERIFY((counts(128, 2) == std::vector<std::int64_t>{64, 64}));
        QVERIFY((counts(100, 3) == std::vector<std::int64_t>{34, 34, 32}));
        QVERIFY((counts(1, 3) == std::vector<std::int64_t>{1, 0, 0}));
    }
    void sharesTileEveryBatch() {
        for (std::int64_t rows = 1; rows < 70; ++rows)
            for (int total = 1; total < 9; ++total) {
                std::int64_t next = 0;
                for (int first = 0; first < total;) {
                    const int count = std::min(1 + first % 3, total - first);
                    const RowRange range = rowsOfShare(rows, {total, first, count});
                    QCOMPARE(range.first, next);
                    QVERIFY(range.count <= mostRowsOfShare(70, {total, first, count}));
                    next += range.count;
                    first += count;
                }
                QCOMPARE(next, rows);
            }
    }
    void permutationFollowsFromSeedAndEpoch() {
        std::vector<std::uint32_t> a(60000), b(60000);
        shuffleRows(a, 1, 0);
        shuffleRows(b, 1, 0);
        QVERIFY(a == b);
        auto sorted = a;
        std::sort(sorted.begin(), sorted.end());
        for (std::uint32_t i = 0; i < sorted.size(); ++i) QCOMPARE(sorted[i], i);
        shuffleRows(b, 1, 1);
        QVERIFY(a != b);
        shuffleRows(b, 2, 0);
        QVERIFY(a != b);
    }
    void permutationNeverChanges() {
        // Computed once by an independent program: a run resumed by a later version must see the same order. Same on every machine.
        std::vector<std::uint32_t> order(12);
        shuffleRows(order, 1, 0);
        const std::vector<std::uint32_t> first = order;
        shuffleRows(order, 0x123456789abcdefull, 7);
        QVERIFY2((first == kSeed1Epoch0), text(first).c_str());
        QVERIFY2((order == kBigSeedEpoch7), text(order).c_str());
    }
    void permutationIsUniform() {
        // Each of 24 orders of 4 about 1000 times; chi-square with 23 degrees of freedom stays below 49.7 (p = 0.001).
        std::map<std::vector<std::uint32_t>, int> seen;
        std::vector<std::uint32_t> order(4);
        for (int epoch = 0; epoch < 24000; ++epoch) {
            shuffleRows(order, 3, epoch);
            ++seen[order];
        }
        QCOMPARE(seen.size(), std::size_t(24));
        double chiSquare = 0;
        for (const auto& [key, count] : seen) chiSquare += (count - 1000.0) * (count - 1000.0) / 1000.0;
        QVERIFY2(chiSquare < 49.7, std::to_string(chiSquare).c_str());
    }

private:
    static std::string text(const std::vector<std::uint32_t>& order) {
        std::string all;
        for (const auto i : order) all += std::to_string(i) + ", ";
        return all;
    }
    inline static const std::vector<std::uint32_t> kSeed1Epoch0 = {1, 4, 10, 3, 5, 0, 2, 8, 11, 6, 7, 9};
    inline static const std::vector<std::uint32_t> kBigSeedEpoch7 = {11, 6, 9, 5, 10, 3, 4, 1, 0, 2, 8, 7};
};

LOCKSTEP_TEST(BatchesTest)
#include "batches_test.moc"
