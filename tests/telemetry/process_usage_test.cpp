#include <support/test.h>

#include <telemetry/process_usage.h>

#include <ctime>
#include <vector>

using namespace lockstep;
using namespace lockstep::telemetry;

class ProcessUsageTest : public QObject {
    Q_OBJECT
private slots:
    void memoryIsCounted() {
        const auto before = readProcessUsage();
        VERIFY_OK(before);
        std::vector<char> block(64 << 20, 'x');
        const auto after = readProcessUsage(::getpid());
        VERIFY_OK(after);
        QVERIFY(block.back() == 'x' && after->residentBytes > before->residentBytes + (50u << 20));
    }
    void processorTimeIsCounted() {
        const auto before = readProcessUsage();
        VERIFY_OK(before);
        const auto start = std::clock();
        while (std::clock() - start < CLOCKS_PER_SEC / 10) {}
        const auto after = readProcessUsage();
        VERIFY_OK(after);
        // The system counts in ticks of 10 ms.
        QVERIFY(after->cpuSeconds >= before->cpuSeconds + 0.07);
    }
    void ratio() {
        QCOMPARE(busyRatio({0, 1.0}, {0, 2.5}, 1.0, 2), 0.75);
        QCOMPARE(busyRatio({0, 1.0}, {0, 9.0}, 1.0, 2), 1.0);
        QCOMPARE(busyRatio({0, 1.0}, {0, 2.0}, 0.0, 2), 0.0);
    }
    void noSuchProcess() { VERIFY_ERROR(readProcessUsage(0x3FFFFFF), "F603"); }
};

LOCKSTEP_TEST(ProcessUsageTest)
#include "process_usage_test.moc"
