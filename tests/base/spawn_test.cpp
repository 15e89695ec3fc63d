#include <support/scratch.h>
#include <support/test.h>

#include <base/file.h>
#include <base/spawn.h>

#include <fcntl.h>
#include <sys/wait.h>

using namespace lockstep;

class SpawnTest : public QObject {
    Q_OBJECT
private slots:
    void spawnedProcessIsAloneAndGetsItsDescriptors() {
        test::Scratch scratch;
        const Fd passed(::open((scratch / "passed").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
        SpawnOptions options;
        options.program = "/bin/sh";
        options.arguments = {
            "-c", "echo \"$LOCKSTEP_PROBE\"; echo to-three >&3; ls /proc/$$/fd | tr '\\n' ' '; echo session $(ps -o sid= -p $$)"};
        options.environment = {{"LOCKSTEP_PROBE", "a b;c"}};
        options.output = scratch / "out";
        options.descriptors = {{passed.get(), 3}};
        const auto pid = spawnDetached(options);
        VERIFY_OK(pid);
        int status = 0;
        QCOMPARE(::waitpid(*pid, &status, 0), *pid);
        const auto text = readFile(scratch / "out");
        VERIFY_OK(text);
        QVERIFY(text->starts_with("a b;c\n"));
        QVERIFY2(text->find("0 1 2 3 \n") != std::string::npos || text->find("0 1 2 3 ") != std::string::npos, text->c_str());
        QVERIFY2(text->find("session " + std::to_string(*pid) + "\n") != std::string::npos, text->c_str());
        QCOMPARE(*readFile(scratch / "passed"), std::string("to-three\n"));
        options.program = scratch / "none";
        VERIFY_ERROR(spawnDetached(options), "P801");
    }
};

LOCKSTEP_TEST(SpawnTest)
#include "spawn_test.moc"
