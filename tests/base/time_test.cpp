#include <support/test.h>

#include <base/clock.h>
#include <base/ids.h>
#include <base/paths.h>
#include <support/scratch.h>

#include <sys/stat.h>
#include <cstdlib>

using namespace lockstep;

class TimeTest : public QObject {
    Q_OBJECT
private slots:
    void deadlines() {
        QVERIFY(Deadline::in(Seconds(0)).passed());
        QCOMPARE(Deadline::in(Seconds(-1)).pollTimeout(), 0);
        QCOMPARE(Deadline::never().pollTimeout(), -1);
        const int left = Deadline::in(Seconds(60)).pollTimeout();
        QVERIFY(left > 50000 && left <= 60000);
    }
    void isoTime() { QCOMPARE(toIsoTime(1767225600.25), std::string("2026-01-01T00:00:00.250Z")); }
    void runIds() {
        const RunId id = newRunId();
        QVERIFY(isRunId(id.value));
        QVERIFY(!isRunId("20260101-000000-wxyz"));
        QVERIFY(!isRunId("../../etc/passwd"));
        QCOMPARE(id.shortHex().size(), std::size_t{8});
        QVERIFY(newRunId().value != id.value);
    }
    void runtimeFolderIsPrivate() {
        test::Scratch scratch;
        setenv("XDG_RUNTIME_DIR", scratch.path().c_str(), 1);
        const auto folder = makeRuntimeFolder();
        VERIFY_OK(folder);
        struct stat facts {};
        QCOMPARE(stat(folder->c_str(), &facts), 0);
        QCOMPARE(facts.st_mode & 0777u, 0700u);
        QCOMPARE(chmod(folder->c_str(), 0755), 0);
        VERIFY_ERROR(makeRuntimeFolder(), "F607");
        unsetenv("XDG_RUNTIME_DIR");
    }
};

LOCKSTEP_TEST(TimeTest)
#include "time_test.moc"
