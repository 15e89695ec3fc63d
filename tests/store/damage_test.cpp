#include "store_support.h"

#include <support/scratch.h>
#include <support/test.h>

#include <base/file.h>
#include <base/random.h>
#include <store/reader.h>
#include <store/writer.h>

#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <fstream>

using namespace lockstep;
using namespace lockstep::store;
using telemetry::Batch;
using telemetry::Point;

namespace {

constexpr int kSkip = 77;

void makeRun(const std::filesystem::path& file) {
    auto writer = Writer::open(file);
    VERIFY_OK(writer);
    std::vector<Point> points;
    for (std::uint64_t step = 1; step <= 9000; ++step) points.push_back({step, double(step), 0.5});
    VERIFY_OK((*writer)->append(std::vector<Batch>{{{"loss", 0}, points}}, "s", 1));
    VERIFY_OK((*writer)->setState(RunState::Running, "", "test"));
}

// Everything a client would ask for; the first error.
Result<void> readAll(const std::filesystem::path& file) {
    LS_TRY_ASSIGN(const auto reader, Reader::open(file));
    LS_TRY(reader->states());
    LS_TRY(reader->events());
    LS_TRY(reader->ranks());
    LS_TRY(reader->series());
    LS_TRY(reader->points({"loss", 0}));
    LS_TRY(reader->buckets({"loss", 0}, 0, 9000, 5));
    return {};
}

// Becomes nobody, for whom permissions count also when the tests run as root.
bool dropRights() { return ::geteuid() != 0 || (::setgroups(0, nullptr) == 0 && ::setgid(65534) == 0 && ::setuid(65534) == 0); }

std::vector<Batch> batchAt(std::uint64_t from, std::uint64_t count) {
    std::vector<Point> points;
    for (auto step = from; step < from + count; ++step) points.push_back({step, 1e9 / double(step), 1 / double(step)});
    return {{{"loss", 0}, points}};
}

}  // namespace

class DamageTest : public QObject {
    Q_OBJECT
private slots:
    void foreignFiles() {
        test::Scratch scratch;
        VERIFY_ERROR(Reader::open(scratch / "none"), "F602");
        VERIFY_ERROR(Reader::open(scratch.path()), "F602");
        VERIFY_ERROR(Writer::open(scratch / "no" / "run.db"), "F602");
        VERIFY_OK(replaceFile(scratch / "empty", ""));
        VERIFY_ERROR(Reader::open(scratch / "empty"), "F609");
        VERIFY_ERROR(Writer::open(scratch / "empty"), "F609");
        VERIFY_OK(replaceFile(scratch / "text", std::string(5000, 'x')));
        VERIFY_ERROR(Reader::open(scratch / "text"), "F609");
        VERIFY_ERROR(Writer::open(scratch / "text"), "F609");
        VERIFY_OK(replaceFile(scratch / "text", std::string(5000, 'x')));
        // Somebody else's database is refused and left as it is.
        QCOMPARE(test::inChild([&] {
                     sqlite3* other = nullptr;
                     sqlite3_open((scratch / "other").c_str(), &other);
                     const int made = sqlite3_exec(other, "CREATE TABLE meta(key, value)", nullptr, nullptr, nullptr);
                     sqlite3_close(other);
                     return made;
                 }),
                 0);
        const auto before = readFile(scratch / "other");
        VERIFY_ERROR(Reader::open(scratch / "other"), "F609");
        VERIFY_ERROR(Writer::open(scratch / "other"), "F609");
        QCOMPARE(*readFile(scratch / "other"), *before);
    }
    void newerAndChangedFiles() {
        test::Scratch scratch;
        const auto file = scratch / "run.db";
        makeRun(file);
        VERIFY_OK(readAll(file));
        QCOMPARE(test::sql(file, "PRAGMA user_version=2"), std::string());
        const auto newer = Reader::open(file);
        VERIFY_ERROR(newer, "F609");
        QVERIFY(newer.error().message.find("version 2") != std::string::npos);
        VERIFY_ERROR(Writer::open(file), "F609");
        QCOMPARE(test::sql(file, "PRAGMA user_version=1; CREATE TRIGGER t AFTER INSERT ON meta BEGIN DELETE FROM chunk; END"),
                 std::string());
        VERIFY_ERROR(Reader::open(file), "F609");
        VERIFY_ERROR(Writer::open(file), "F609");
        QCOMPARE(test::sql(file, "DROP TRIGGER t; UPDATE chunk SET points = zeroblob(100) WHERE first = 4096"), std::string());
        VERIFY_ERROR(readAll(file), "F609");
        QCOMPARE(test::sql(file, "DROP TABLE bucket"), std::string());
        VERIFY_ERROR(Reader::open(file), "F609");
    }
    // A person must be told what to do about the store of a run.
    void nextStepOfARun() {
        test::Scratch scratch;
        const auto folder = scratch / "20260101-000000-aaaa";
        VERIFY_OK(makeFolders(folder));
        std::ofstream(folder / "run.db") << "no database";
        const auto answer = Reader::open(folder / "run.db");
        VERIFY_ERROR(answer, "F609");
        QVERIFY2(answer.error().next.find("lockstep rm 20260101-000000-aaaa") != std::string::npos, answer.error().next.c_str());
        QVERIFY(answer.error().next.find((folder / "checkpoints").string()) != std::string::npos);
        std::ofstream(scratch / "run.db") << "no database";
        const auto elsewhere = Reader::open(scratch / "run.db");
        VERIFY_ERROR(elsewhere, "F609");
        QVERIFY(elsewhere.error().next.find("lockstep rm") == std::string::npos && !elsewhere.error().next.empty());
    }
    // Any damaged byte and any length: an answer or an error with a code, never a crash, never wrong points.
    void damagedBytes() {
        test::Scratch scratch;
        const auto file = scratch / "run.db";
        makeRun(file);
        const auto whole = readFile(file);
        VERIFY_OK(whole);
        Philox random(2, 1);
        int noticed = 0;
        for (int round = 0; round < 150; ++round) {
            auto content = *whole;
            if (round % 3 == 0)
                content.resize(random.nextBelow(static_cast<std::uint32_t>(content.size())));
            else if (round % 3 == 1)
                std::fill_n(content.begin() + 4096 * random.nextBelow(static_cast<std::uint32_t>(content.size() / 4096)), 4096, '\0');
            else
                for (int i = 0; i < 8; ++i)
                    content[random.nextBelow(static_cast<std::uint32_t>(content.size()))] ^= char(1 + random.nextBelow(255));
            std::ofstream(scratch / "damaged", std::ios::binary) << content;
            const auto answer = readAll(scratch / "damaged");
            if (answer.ok()) continue;
            ++noticed;
            QVERIFY2(answer.error().code == "F609" || answer.error().code == "F603", answer.error().toText().c_str());
        }
        QVERIFY2(noticed > 75, std::to_string(noticed).c_str());
    }
    void readOnlyFolder() {
        test::Scratch scratch;
        const auto folder = scratch / "archive";
        VERIFY_OK(makeFolders(folder));
        makeRun(folder / "run.db");
        QCOMPARE(::chmod(scratch.path().c_str(), 0755), 0);
        // A run whose writer was killed: the WAL holds what the file does not.
        const auto torn = scratch / "torn";
        VERIFY_OK(makeFolders(torn));
        QCOMPARE(test::inChild([&] {
                     auto writer = Writer::open(torn / "run.db");
                     if (!writer.ok() || !(*writer)->setMeta("by", "killed").ok()) return 1;
                     ::raise(SIGKILL);
                     return 2;
                 }),
                 -1);
        for (const auto& each : {folder, torn}) QCOMPARE(::chmod(each.c_str(), 0555), 0);
        std::filesystem::copy(torn, scratch / "bare", std::filesystem::copy_options::recursive);
        std::filesystem::remove(scratch / "bare" / "run.db-shm");
        QCOMPARE(::chmod((scratch / "bare").c_str(), 0555), 0);
        const int status = test::inChild([&] {
            if (!dropRights()) return kSkip;
            if (!readAll(folder / "run.db").ok()) return 1;
            const auto reader = Reader::open(torn / "run.db");
            if (!reader.ok() || *(*reader)->meta("by") != "killed") return 2;
            // Without -shm the WAL can't be read here; the main file alone would be an older state.
            const auto bare = Reader::open(scratch / "bare" / "run.db");
            if (bare.ok() || bare.error().code != "F602") return 3;
            const auto writer = Writer::open(folder / "run.db");
            return writer.ok() || writer.error().code != "F604" ? 4 : 0;
        });
        for (const auto& each : {folder, torn, scratch / "bare"}) ::chmod(each.c_str(), 0755);
        if (status == kSkip) QSKIP("can't give up root's rights here");
        QCOMPARE(status, 0);
    }
    // A file that may not grow (the limit answers like a failing disk): the error is named, nothing is lost, the next commit works.
    void failingDisk() {
        test::Scratch scratch;
        QCOMPARE(test::inChild([&] {
                     auto writer = Writer::open(scratch / "run.db");
                     if (!writer.ok()) return 1;
                     ::signal(SIGXFSZ, SIG_IGN);
                     const rlimit small{200000, RLIM_INFINITY};
                     if (::setrlimit(RLIMIT_FSIZE, &small) != 0) return 2;
                     std::uint64_t step = 1;
                     Result<void> answer;
                     for (; answer.ok() && step < 100000; step += 1000) {
                         answer = (*writer)->append(batchAt(step, 1000), "s", step);
                         if (answer.ok()) answer = (*writer)->flush();
                     }
                     if (answer.ok() || answer.error().code != "F604") return 3;
                     const auto state = (*writer)->setState(RunState::Failed, "", "");
                     if (state.ok() || state.error().code != "F604") return 4;
                     const rlimit large{RLIM_INFINITY, RLIM_INFINITY};
                     if (::setrlimit(RLIMIT_FSIZE, &large) != 0) return 5;
                     if (!(*writer)->append(batchAt(step, 10), "s", step).ok() || !(*writer)->flush().ok()) return 6;
                     const auto reader = Reader::open(scratch / "run.db");
                     const auto points = (*reader)->points({"loss", 0});
                     return points->size() == step + 9 && points->back().step == step + 9 ? 0 : 7;
                 }),
                 0);
        QCOMPARE(test::sql(scratch / "run.db", "PRAGMA integrity_check"), std::string("ok"));
    }
    void fullDisk() {
        test::Scratch scratch;
        const int status = test::inChild([&] {
            if (::unshare(CLONE_NEWNS) != 0) return kSkip;
            if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return kSkip;
            if (::mount("none", scratch.path().c_str(), "tmpfs", 0, "size=600k") != 0) return kSkip;
            auto writer = Writer::open(scratch / "run.db");
            if (!writer.ok()) return 1;
            if (!replaceFile(scratch / "ballast", std::string(150000, 'x')).ok()) return 2;
            std::uint64_t step = 1;
            Result<void> answer;
            for (; answer.ok() && step < 200000; step += 1000) {
                answer = (*writer)->append(batchAt(step, 1000), "s", step);
                if (answer.ok()) answer = (*writer)->flush();
            }
            if (answer.ok() || answer.error().code != "F605") return 3;
            std::filesystem::remove(scratch / "ballast");
            if (!(*writer)->flush().ok()) return 4;
            const auto reader = Reader::open(scratch / "run.db");
            if (!reader.ok()) return 5;
            const auto points = (*reader)->points({"loss", 0});
            return points.ok() && points->size() == step - 1 ? 0 : 6;
        });
        if (status == kSkip) QSKIP("mounting a small disk is not allowed here");
        QCOMPARE(status, 0);
    }
    void lockedByAnotherProgramForAWhile() {
        test::Scratch scratch;
        auto writer = Writer::open(scratch / "run.db");
        VERIFY_OK(writer);
        int ready[2] = {};
        QCOMPARE(::pipe(ready), 0);
        const pid_t other = ::fork();
        QVERIFY(other >= 0);
        if (other == 0) {
            sqlite3* connection = nullptr;
            sqlite3_open((scratch / "run.db").c_str(), &connection);
            const int locked = sqlite3_exec(connection, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr);
            if (::write(ready[1], "x", 1) != 1 || locked != SQLITE_OK) ::_exit(1);
            ::usleep(300000);
            sqlite3_exec(connection, "ROLLBACK", nullptr, nullptr, nullptr);
            ::_exit(0);
        }
        char byte = 0;
        QCOMPARE(::read(ready[0], &byte, 1), ssize_t{1});
        VERIFY_OK((*writer)->setState(RunState::Running, "", "test"));
        int status = 1;
        ::waitpid(other, &status, 0);
        QCOMPARE(status, 0);
        ::close(ready[0]);
        ::close(ready[1]);
    }
};

LOCKSTEP_TEST(DamageTest)
#include "damage_test.moc"
