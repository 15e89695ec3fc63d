#include "cgroup.h"

#include <support/scratch.h>
#include <support/test.h>

#include <base/file.h>
#include <base/thread.h>
#include <cluster/inventory.h>

#include <algorithm>

#include <sched.h>

using namespace lockstep;
using namespace lockstep::cluster;

namespace {

void write(const std::filesystem::path& file, const std::string& text) {
    VERIFY_OK(makeFolders(file.parent_path()));
    VERIFY_OK(replaceFile(file, text));
}

}  // namespace

class ProbeTest : public QObject {
    Q_OBJECT
private slots:
    void factsOfThisHost() {
        const HostFacts facts = probeThisHost();
        QVERIFY(!facts.hostname.empty());
        QVERIFY(facts.system.find("kernel") != std::string::npos);
        QVERIFY(!facts.processorName.empty());
        QVERIFY(!facts.isa.empty());
        QVERIFY(!facts.processors.empty());
        QVERIFY(facts.processors.size() <= usableProcessors().size());
        QVERIFY(std::is_sorted(facts.processors.begin(), facts.processors.end()));
        QVERIFY(facts.coreOf.empty() || facts.coreOf.size() == facts.processors.size());
        QVERIFY(facts.memoryBytes >= facts.availableBytes);
        QVERIFY(facts.availableBytes > 0);
        QVERIFY(facts.diskFreeBytes > 0);
        QCOMPARE(facts.devices.size(), std::size_t(1));
        QCOMPARE(facts.devices[0].kind, std::string("cpu"));
        QVERIFY(facts.agentId.empty());
    }

    void affinityIsRespected() {
        std::vector<int> processors;
        std::jthread thread([&processors] {
            const std::vector<int> all = usableProcessors();
            pinThisThread(std::span(all).last(1));
            processors = probeThisHost().processors;
        });
        const std::vector<int> all = usableProcessors();
        thread.join();
        QCOMPARE(processors, std::vector<int>{all.back()});
    }

    void noGroupsMeanNoLimits() {
        test::Scratch scratch;
        const CgroupLimits limits = readCgroupLimits(scratch.path());
        QVERIFY(!limits.processors);
        QVERIFY(!limits.bytes);
    }

    void version2() {
        test::Scratch scratch;
        write(scratch / "proc/self/cgroup", "0::/user.slice/job\n");
        write(scratch / "sys/fs/cgroup/user.slice/job/cpu.max", "max 100000\n");
        write(scratch / "sys/fs/cgroup/user.slice/job/memory.max", "2147483648\n");
        write(scratch / "sys/fs/cgroup/user.slice/cpu.max", "150000 100000\n");
        write(scratch / "sys/fs/cgroup/user.slice/memory.max", "max\n");
        const CgroupLimits limits = readCgroupLimits(scratch.path());
        QCOMPARE(*limits.processors, 1.5);
        QCOMPARE(*limits.bytes, std::uint64_t(2147483648));
    }

    void version2InsideAContainer() {
        test::Scratch scratch;
        write(scratch / "proc/self/cgroup", "0::/../../outside\n");
        write(scratch / "sys/fs/cgroup/cpu.max", "400000 100000\n");
        QCOMPARE(*readCgroupLimits(scratch.path()).processors, 4.0);
    }

    void version1() {
        test::Scratch scratch;
        write(scratch / "proc/self/cgroup", "4:memory:/docker/x\n3:cpu,cpuacct:/docker/x\n1:name=systemd:/\n");
        write(scratch / "sys/fs/cgroup/cpu/cpu.cfs_quota_us", "200000\n");
        write(scratch / "sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
        write(scratch / "sys/fs/cgroup/memory/docker/x/memory.limit_in_bytes", "1073741824\n");
        write(scratch / "sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
        const CgroupLimits limits = readCgroupLimits(scratch.path());
        QCOMPARE(*limits.processors, 2.0);
        QCOMPARE(*limits.bytes, std::uint64_t(1073741824));
    }

    void noQuotaInVersion1() {
        test::Scratch scratch;
        write(scratch / "proc/self/cgroup", "3:cpu:/\n");
        write(scratch / "sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
        write(scratch / "sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
        QVERIFY(!readCgroupLimits(scratch.path()).processors);
    }
};

LOCKSTEP_TEST(ProbeTest)
#include "probe_test.moc"
