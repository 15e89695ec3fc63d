#include "ranks.h"

#include <support/test.h>

#include <exec_cpu/cpu_executor.h>
#include <train/checkpoint.h>

using namespace lockstep;
using namespace lockstep::train;

namespace {

const test::ExecutorMaker kCpu = [] { return exec::cpu::makeCpuExecutor(); };

}  // namespace

class RankCpuTest : public QObject {
    Q_OBJECT
private slots:
    void twoRanksAreOneRank_data() {
        QTest::addColumn<QString>("preset");
        QTest::addColumn<int>("steps");
        QTest::newRow("mlp") << "mlp" << 100;
        QTest::newRow("cnn") << "cnn" << 10;
    }
    void twoRanksAreOneRank() {
        // 2 × 64 rows against 1 × 128.
        QFETCH(QString, preset);
        QFETCH(int, steps);
        const RankOptions options = test::mnistOptions(preset.toStdString(), 128, static_cast<std::uint64_t>(steps));
        const auto one = test::runRanks(options, kCpu, {1});
        const auto two = test::runRanks(options, kCpu, {1, 1});
        VERIFY_RUNS(one);
        VERIFY_RUNS(two);
        const auto expected = one[0].losses(), found = two[0].losses();
        QCOMPARE(expected.size(), std::size_t(steps));
        // A sum near zero may fall on either side of a Relu by its last bit; from that step on two runs may be 1e-3 apart. Sums that are
        // wrong show in the first steps; tests with exec/ref compare all of them, in float64.
        constexpr std::ptrdiff_t kBeforeAnySwitch = 10;
        const double first =
            test::worstRelative({found.begin(), found.begin() + kBeforeAnySwitch}, {expected.begin(), expected.begin() + kBeforeAnySwitch});
        const double worst = test::worstRelative(found, expected);
        qInfo("worst relative difference %.2g in the first steps, %.2g in all", first, worst);
        QVERIFY2(first < 1e-6, QByteArray::number(first).constData());
        QVERIFY2(worst < 1e-2, QByteArray::number(worst).constData());
        QCOMPARE(two[0].value().weightsHash, two[1].value().weightsHash);
    }
    // Buckets in memory of the group against buckets in memory of the program: two values have one sum, so the bits are the same.
    void reservedBucketsChangeNothing_data() {
        QTest::addColumn<QString>("preset");
        QTest::addColumn<int>("bytesPerPack");
        QTest::newRow("mlp, one bucket") << "mlp" << (25 << 20);
        QTest::newRow("mlp, several") << "mlp" << 4096;
        QTest::newRow("cnn, several") << "cnn" << 60'000;
    }
    void reservedBucketsChangeNothing() {
        QFETCH(QString, preset);
        QFETCH(int, bytesPerPack);
        RankOptions options = test::mnistOptions(preset.toStdString(), 32, 30);
        options.bytesPerPack = static_cast<std::size_t>(bytesPerPack);
        const auto plain = test::runRanks(options, kCpu, {1, 1});
        const auto reserved = test::runRanks(options, kCpu, {1, 1}, {}, test::Transport::SharedMemory);
        VERIFY_RUNS(plain);
        VERIFY_RUNS(reserved);
        QVERIFY(plain[0].losses() == reserved[0].losses());
        for (const auto& run : reserved) QCOMPARE(run.value().weightsHash, plain[0].value().weightsHash);
    }
    void resumedRunIsTheSameRun_data() { twoRanksAreOneRank_data(); }
    void resumedRunIsTheSameRun() {
        QFETCH(QString, preset);
        QFETCH(int, steps);
        test::Scratch scratch;
        const auto total = static_cast<std::uint64_t>(steps);
        RankOptions options = test::mnistOptions(preset.toStdString(), 32, total);
        options.checkpoint = {scratch.path(), std::nullopt, 2, "h"};
        const auto whole = test::runRanks(options, kCpu, {1, 1});
        VERIFY_RUNS(whole);
        std::filesystem::remove_all(scratch.path());
        options.steps = total / 2;
        const auto half = test::runRanks(options, kCpu, {1, 1});
        VERIFY_RUNS(half);
        options.steps = total;
        options.resume = true;
        const auto rest = test::runRanks(options, kCpu, {1, 1});
        VERIFY_RUNS(rest);
        const auto expected = whole[0].losses();
        QVERIFY((rest[0].losses() == std::vector<double>(expected.begin() + steps / 2, expected.end())));
        for (const auto& run : rest) QCOMPARE(run.value().weightsHash, whole[0].value().weightsHash);
    }
};

LOCKSTEP_TEST(RankCpuTest)
#include "rank_cpu_test.moc"
