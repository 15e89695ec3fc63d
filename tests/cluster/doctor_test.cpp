#include <support/scratch.h>
#include <support/test.h>

#include <base/file.h>
#include <cluster/doctor.h>

#include <algorithm>
#include <fstream>

#include <sys/stat.h>

using namespace lockstep;
using namespace lockstep::cluster;

namespace {

HostFacts goodFacts() {
    HostFacts facts;
    facts.system = "Debian GNU/Linux 12, kernel 6.1";
    facts.hostname = "box";
    facts.processorName = "Some processor";
    facts.isa = "avx2";
    facts.processors = {0, 1};
    facts.physicalCores = 2;
    facts.memoryBytes = 8ull << 30;
    facts.availableBytes = 4ull << 30;
    facts.shmBytes = 1ull << 30;
    facts.diskFreeBytes = 9ull << 30;
    return facts;
}

DoctorCheck named(const std::vector<DoctorCheck>& checks, const std::string& name) {
    const auto found = std::find_if(checks.begin(), checks.end(), [&](const DoctorCheck& check) { return check.name == name; });
    return found == checks.end() ? DoctorCheck{} : *found;
}

}  // namespace

class DoctorTest : public QObject {
    Q_OBJECT
private slots:
    void init() {
        m_scratch = std::make_unique<test::Scratch>();
        qputenv("XDG_RUNTIME_DIR", (m_scratch->path() / "rt").c_str());
        qputenv("XDG_CONFIG_HOME", (m_scratch->path() / "config").c_str());
        qputenv("XDG_CACHE_HOME", (m_scratch->path() / "cache").c_str());
    }

    void goodHostPasses() {
        for (const DoctorCheck& check : checkFacts(goodFacts())) QVERIFY2(check.status == CheckStatus::Pass, check.line.c_str());
    }

    void scarceHosts_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"processor", "cores", "memory", "shared_memory", "disk"}) QTest::newRow(name) << QString(name);
    }

    void scarceHosts() {
        QFETCH(QString, name);
        HostFacts facts = goodFacts();
        facts.isa = "sse41";
        facts.processors = {0};
        facts.availableBytes = 300ull << 20;
        facts.shmBytes = 64ull << 20;
        facts.diskFreeBytes = 500ull << 20;
        const DoctorCheck scarce = named(checkFacts(facts), name.toStdString());
        QVERIFY(scarce.status == CheckStatus::Warn);
        QVERIFY(!scarce.why.empty() && !scarce.fix.empty());
        facts.processors = {};
        facts.availableBytes = 1;
        facts.shmBytes = 1;
        facts.diskFreeBytes = 1;
        if (name != "processor") QVERIFY(named(checkFacts(facts), name.toStdString()).status == CheckStatus::Fail);
    }

    void wholeDoctor() {
        DoctorOptions options;
        options.project = m_scratch->path();
        options.libraries = {{"oneDNN", "2.6.0"}};
        options.gpuDriver = m_scratch->path() / "absent";
        const auto checks = runDoctor(options);
        QCOMPARE(named(checks, "gpu").line, std::string("no GPU found"));
        QVERIFY(named(checks, "gpu").status == CheckStatus::Skipped);
        QCOMPARE(named(checks, "library_oneDNN").line, std::string("oneDNN 2.6.0"));
        QVERIFY(named(checks, "runtime_folder").status == CheckStatus::Pass);
        QVERIFY(named(checks, "key").status == CheckStatus::Pass);
        QVERIFY(named(checks, "project").status == CheckStatus::Pass);
        QVERIFY(named(checks, "cache").status == CheckStatus::Pass);
        QVERIFY(std::filesystem::exists(m_scratch->path() / "rt/lockstep"));
    }

    void runsThatCannotBeWrittenFail() {
        DoctorOptions options;
        options.project = m_scratch->path() / "project";
        std::filesystem::create_directories(options.project / "runs");
        QVERIFY(named(runDoctor(options), "project").status == CheckStatus::Pass);
        std::filesystem::remove(options.project / "runs");
        std::ofstream(options.project / "runs") << "a file in the way";
        const DoctorCheck check = named(runDoctor(options), "project");
        QVERIFY(check.status == CheckStatus::Fail);
        QVERIFY(check.line.find((options.project / "runs").string()) != std::string::npos && !check.fix.empty());
    }
    void openKeyFails() {
        VERIFY_OK(makeFolders(m_scratch->path() / "config/lockstep"));
        VERIFY_OK(replaceFile(m_scratch->path() / "config/lockstep/key", "secret", 0644));
        const DoctorCheck key = named(runDoctor({}), "key");
        QVERIFY(key.status == CheckStatus::Fail);
        QVERIFY(key.line.find("secret") == std::string::npos);
        chmod((m_scratch->path() / "config/lockstep/key").c_str(), 0600);
        QVERIFY(named(runDoctor({}), "key").status == CheckStatus::Pass);
    }

    void openRuntimeFolderFails() {
        VERIFY_OK(makeFolders(m_scratch->path() / "rt/lockstep", 0755));
        chmod((m_scratch->path() / "rt/lockstep").c_str(), 0755);
        QVERIFY(named(runDoctor({}), "runtime_folder").status == CheckStatus::Fail);
    }

    void longRuntimeFolderFails() {
        qputenv("XDG_RUNTIME_DIR", (m_scratch->path() / std::string(90, 'x')).c_str());
        QVERIFY(named(runDoctor({}), "runtime_folder").status == CheckStatus::Fail);
    }

    void loadedDriverIsNamed() {
        VERIFY_OK(replaceFile(*m_scratch / "version", "NVRM version: x\n"));
        DoctorOptions options;
        options.gpuDriver = *m_scratch / "version";
        QVERIFY(named(runDoctor(options), "gpu").line.find("driver is loaded") != std::string::npos);
    }

    void worst() {
        QVERIFY(worstOf({{"a", CheckStatus::Skipped, "", "", ""}}) == CheckStatus::Pass);
        QVERIFY(worstOf({{"a", CheckStatus::Warn, "", "", ""}, {"b", CheckStatus::Fail, "", "", ""}}) == CheckStatus::Fail);
    }

private:
    std::unique_ptr<test::Scratch> m_scratch;
};

LOCKSTEP_TEST(DoctorTest)
#include "doctor_test.moc"
