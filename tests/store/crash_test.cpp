#include "store_support.h"

#include <support/scratch.h>
#include <support/test.h>

#include <base/clock.h>
#include <base/random.h>
#include <store/reader.h>
#include <store/writer.h>
#include <telemetry/spool.h>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <atomic>
#include <thread>

using namespace lockstep;
using namespace lockstep::store;
using telemetry::Batch;
using telemetry::Point;
using telemetry::Sample;
using telemetry::Series;

namespace {

constexpr Series kSeries[] = {Series::Loss, Series::Accuracy, Series::StepSeconds};
constexpr std::uint64_t kSteps = 200000;

Sample sampleOf(std::uint64_t step, Series series) {
    return {1.7e9 + 0.001 * double(step), double(step) / (1 + double(series)), step, series, 0, 0};
}

void writeSpool(const std::filesystem::path& file) {
    auto spool = telemetry::Spool::open(file);
    VERIFY_OK(spool);
    std::vector<Sample> samples;
    for (std::uint64_t step = 1; step <= kSteps; ++step) {
        for (const auto series : kSeries) samples.push_back(sampleOf(step, series));
        if (step % 61 != 0 && step != kSteps) continue;
        VERIFY_OK(spool->append(samples));
        samples.clear();
    }
}

// A controller's life: from the spool into the store until killed. Each acknowledged state change is told through the pipe.
int control(const std::filesystem::path& folder, int pipe) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // a failed test leaves nobody behind
    auto writer = Writer::open(folder / "run.db");
    if (!writer.ok()) return 1;
    const auto spool = telemetry::SpoolReader::open(folder / "spool");
    auto position = (*writer)->spoolPosition("spool");
    if (!spool.ok() || !position.ok()) return 2;
    for (std::uint64_t round = 1;; ++round) {
        const auto piece = spool->read(*position, 200 + round * 97 % 1500);
        if (!piece.ok()) return 3;
        // A fast machine may read the spool to its end: then states go on alone.
        if (!piece->samples.empty() && !(*writer)->append(telemetry::toBatches(piece->samples), "spool", piece->next).ok()) return 4;
        position = piece->next;
        if (round % 3 == 0 && !(*writer)->flush().ok()) return 5;
        if (round % 16 != 0) continue;
        if (!(*writer)->setState(RunState::Running, "", "child").ok()) return 6;
        if (::write(pipe, "s", 1) != 1) return 7;
    }
}

std::size_t readAvailable(int fd) {
    std::array<char, 4096> bytes{};
    const auto got = ::read(fd, bytes.data(), bytes.size());
    return got > 0 ? static_cast<std::size_t>(got) : 0;
}

// All series hold the points 1…n of the spool, each once, with every bit; n of the shortest and of the longest.
void verifyPrefix(const std::filesystem::path& file, std::size_t& points) {
    const auto reader = Reader::open(file);
    VERIFY_OK(reader);
    points = 0;
    for (const auto series : kSeries) {
        const telemetry::SeriesKey key{std::string(nameOf(series)), 0};
        const auto found = (*reader)->points(key);
        VERIFY_OK(found);
        std::vector<Point> wanted;
        for (std::uint64_t step = 1; step <= found->size(); ++step) {
            const auto sample = sampleOf(step, series);
            wanted.push_back({step, sample.time, sample.value});
        }
        QVERIFY(test::sameBits(*found, wanted));
        QVERIFY(points == 0 || points == found->size());
        points = found->size();
        const auto buckets = (*reader)->buckets(key, 0, kSteps, 7);
        VERIFY_OK(buckets);
        std::uint64_t count = 0;
        for (const auto& bucket : *buckets) count += bucket.count;
        QCOMPARE(count, std::uint64_t{found->size()});
    }
    QCOMPARE(test::sql(file, "SELECT sum(count) FROM series"), std::to_string(points * std::size(kSeries)));
}

}  // namespace

class CrashTest : public QObject {
    Q_OBJECT
private slots:
    void killedWritersLoseAndDoubleNothing() {
        test::Scratch scratch;
        writeSpool(scratch / "spool");
        Philox random(20, 1);
        int pipe[2] = {};
        QCOMPARE(::pipe2(pipe, O_CLOEXEC), 0);
        QCOMPARE(::fcntl(pipe[0], F_SETFL, O_NONBLOCK), 0);
        std::size_t states = 0;
        std::size_t points = 0;
        for (int round = 0; round < 25; ++round) {
            const pid_t child = ::fork();
            QVERIFY(child >= 0);
            if (child == 0) ::_exit(control(scratch.path(), pipe[1]));
            // It has begun once it tells a state; then it dies at any moment.
            pollfd begun{pipe[0], POLLIN, 0};
            QCOMPARE(::poll(&begun, 1, 20000), 1);
            ::usleep(random.nextBelow(25000));
            QCOMPARE(::kill(child, SIGKILL), 0);
            int status = 0;
            QCOMPARE(::waitpid(child, &status, 0), child);
            QVERIFY2(WIFSIGNALED(status), std::to_string(WEXITSTATUS(status)).c_str());
            states += readAvailable(pipe[0]);
            const auto before = points;
            if (round % 6 == 0) {  // reading decodes everything: not after each kill
                verifyPrefix(scratch / "run.db", points);
                if (QTest::currentTestFailed()) return;
                QVERIFY(points >= before);
            }
            QCOMPARE(test::sql(scratch / "run.db", "PRAGMA quick_check"), std::string("ok"));
            const auto reader = Reader::open(scratch / "run.db");
            VERIFY_OK(reader);
            const auto kept = (*reader)->states();
            VERIFY_OK(kept);
            QVERIFY(kept->size() >= states);  // what was acknowledged is there; the last one may not have been told
            states = kept->size();
        }
        verifyPrefix(scratch / "run.db", points);
        QVERIFY(points > 1000);
        QCOMPARE(test::sql(scratch / "run.db", "PRAGMA integrity_check"), std::string("ok"));
        ::close(pipe[0]);
        ::close(pipe[1]);
    }
    // Readers beside a busy writer see whole states of the file, only ever growing.
    void readersBesideTheWriter() {
        test::Scratch scratch;
        auto writer = Writer::open(scratch / "run.db");
        VERIFY_OK(writer);
        std::atomic<int> failures{0};
        std::atomic<int> looks{0};
        std::atomic<bool> over{false};
        const auto look = [&] {
            const auto reader = Reader::open(scratch / "run.db");
            if (!reader.ok()) ++failures;
            std::size_t seen = 0;
            std::uint64_t counter = 0;  // as it was before the points of the last look were read
            while (!over && failures == 0) {
                const auto now = (*reader)->changeCounter();
                const auto points = (*reader)->points({"loss", 0});
                const auto buckets = (*reader)->buckets({"loss", 0}, 0, kSteps, 50);
                if (!now.ok() || !points.ok() || !buckets.ok() || points->size() < seen || *now < counter) ++failures;
                if (failures != 0) return;
                for (std::size_t i = 0; i < points->size(); ++i)
                    if ((*points)[i].step != i + 1) ++failures;
                if (!buckets->empty() && buckets->back().lastStep < points->size()) ++failures;
                // The same number before the look before this one and after this one: nothing can have changed in between.
                const auto after = (*reader)->changeCounter();
                if (!after.ok() || (*after == counter && points->size() != seen)) ++failures;
                seen = points->size();
                counter = *now;
                ++looks;
            }
        };
        {
            std::jthread one(look), two(look);
            const auto deadline = Deadline::in(Seconds(30));
            for (std::uint64_t step = 1; (step < 30000 || looks < 20) && !deadline.passed() && failures == 0; step += 100) {
                std::vector<Point> points;
                for (auto each = step; each < step + 100; ++each) points.push_back({each, double(each), 1.0});
                if (!(*writer)->append(std::vector<Batch>{{{"loss", 0}, points}}, "s", step).ok() || !(*writer)->flush().ok()) ++failures;
            }
            over = true;
        }
        QCOMPARE(failures.load(), 0);
        QVERIFY(looks >= 20);
    }
    void changeCounter() {
        test::Scratch scratch;
        auto writer = Writer::open(scratch / "run.db");
        VERIFY_OK(writer);
        const auto reader = Reader::open(scratch / "run.db");
        VERIFY_OK(reader);
        const auto first = *(*reader)->changeCounter();
        QCOMPARE(*(*reader)->changeCounter(), first);
        VERIFY_OK((*writer)->setMeta("a", "b"));
        const auto second = *(*reader)->changeCounter();
        QVERIFY(second > first);
        QCOMPARE(*(*reader)->changeCounter(), second);
    }
    // The WAL is moved into the file by the writer while it runs, and is gone when it ends.
    void walStaysSmall() {
        test::Scratch scratch;
        {
            auto writer = Writer::open(scratch / "run.db");
            VERIFY_OK(writer);
            for (std::uint64_t step = 1; step < 60000; step += 50) {
                std::vector<Point> points;
                for (auto each = step; each < step + 50; ++each) points.push_back({each, 1 / double(each), 1 / double(each)});
                VERIFY_OK((*writer)->append(std::vector<Batch>{{{"loss", 0}, points}}, "s", step));
                VERIFY_OK((*writer)->flush());
            }
            QVERIFY(std::filesystem::file_size(scratch / "run.db-wal") < (8u << 20));
        }
        QVERIFY(!std::filesystem::exists(scratch / "run.db-wal"));
        QVERIFY(!std::filesystem::exists(scratch / "run.db.new"));
    }
};

LOCKSTEP_TEST(CrashTest)
#include "crash_test.moc"
