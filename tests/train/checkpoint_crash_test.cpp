#include "programs/checkpoints.h"

#include <support/scratch.h>
#include <support/test.h>

#include <base/file.h>
#include <train/checkpoint.h>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <thread>

using namespace lockstep;
using namespace lockstep::train;

extern char** environ;

namespace {

pid_t spawn(std::vector<std::string> arguments, int output = -1) {
    arguments.insert(arguments.begin(),
                     qEnvironmentVariable("LOCKSTEP_BIN", QCoreApplication::applicationDirPath()).toStdString() + "/checkpoint_loop");
    std::vector<char*> list;
    for (std::string& argument : arguments) list.push_back(argument.data());
    list.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (output >= 0) posix_spawn_file_actions_adddup2(&actions, output, 1);
    pid_t pid = -1;
    if (posix_spawn(&pid, list[0], &actions, nullptr, list.data(), environ) != 0) pid = -1;
    posix_spawn_file_actions_destroy(&actions);
    return pid;
}

// Whether the writer began this many saves within a time that is long for any machine.
bool savesBegun(int fd, int count) {
    for (; count > 0; --count) {
        pollfd ready{fd, POLLIN, 0};
        char mark = 0;
        if (poll(&ready, 1, 30000) != 1 || ::read(fd, &mark, 1) != 1) return false;
    }
    return true;
}

}  // namespace

class CheckpointCrashTest : public QObject {
    Q_OBJECT
private slots:
    void killedWhileWriting() {
        // Each life of the writer is ended at another moment of its loop; what is committed must load, be of one piece, and never go back.
        test::Scratch scratch;
        const CheckpointStore store(scratch.path());
        std::uint64_t newest = 0;
        const int lives = qEnvironmentVariableIsSet("LOCKSTEP_SOAK") ? 1000 : 40;
        for (int life = 0; life < lives; ++life) {
            int ends[2];
            QCOMPARE(pipe2(ends, O_CLOEXEC), 0);
            const Fd reader(ends[0]);
            Fd writer(ends[1]);
            const pid_t pid = spawn({scratch.path().string()}, writer.get());
            QVERIFY(pid > 0);
            writer.reset();
            const bool busy = savesBegun(reader.get(), 1 + life % 3);
            std::this_thread::sleep_for(std::chrono::microseconds(997 * life % 20000));
            kill(pid, SIGKILL);
            int status = 0;
            QCOMPARE(waitpid(pid, &status, 0), pid);
            QVERIFY(busy);
            QVERIFY2(WIFSIGNALED(status), "the writer ended by itself");
            const auto loaded = store.loadNewest("abc");
            VERIFY_OK(loaded);
            if (!loaded->has_value()) {
                QCOMPARE(newest, std::uint64_t(0));
                continue;
            }
            QVERIFY((*loaded)->skipped.empty());
            QVERIFY((*loaded)->checkpoint.step >= newest);
            newest = (*loaded)->checkpoint.step;
            QVERIFY((*loaded)->checkpoint == test::checkpointOf(newest, 50000));
        }
        QVERIFY(newest > 0);
    }
    void diskFull() {
        test::Scratch scratch;
        std::filesystem::create_directory(scratch / "small");
        int ends[2];
        QCOMPARE(pipe(ends), 0);
        const Fd reader(ends[0]);
        Fd writer(ends[1]);
        const pid_t pid = spawn({(scratch / "small").string(), "tmpfs"}, writer.get());
        QVERIFY(pid > 0);
        writer.reset();
        char text[200] = {};
        [[maybe_unused]] const auto got = ::read(reader.get(), text, sizeof text - 1);
        int status = 0;
        QCOMPARE(waitpid(pid, &status, 0), pid);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 77) QSKIP("this user may not mount a file system of its own");
        int saved = 0, newest = 0, temporary = -1;
        char code[16] = {};
        QCOMPARE(sscanf(text, "%d %15s %d %d", &saved, code, &newest, &temporary), 4);
        QCOMPARE(QString(code), QString("F605"));
        QVERIFY2(saved >= 3, text);
        QCOMPARE(newest, saved);  // the last one before is whole
        QCOMPARE(temporary, 0);
    }
};

LOCKSTEP_TEST(CheckpointCrashTest)
#include "checkpoint_crash_test.moc"
