#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <support/scratch.h>
#include <support/test.h>

#include <base/clock.h>
#include <telemetry/ring.h>
#include <telemetry/spool.h>

#include <fstream>

using namespace lockstep;
using namespace lockstep::telemetry;

namespace {

Sample sampleOf(std::uint64_t number) { return {double(number), double(number) / 3, number, Series::Loss, 1, 0xFFFFFFFF}; }

std::vector<Sample> samplesOf(std::uint64_t from, std::uint64_t count) {
    std::vector<Sample> samples;
    for (auto i = from; i < from + count; ++i) samples.push_back(sampleOf(i));
    return samples;
}

bool areSamplesFrom(const std::vector<Sample>& samples, std::uint64_t from) {
    for (const auto& sample : samples) {
        const auto wanted = sampleOf(from++);
        if (std::memcmp(&sample, &wanted, sizeof(Sample)) != 0) return false;
    }
    return true;
}

void flipByte(const std::filesystem::path& file, std::uint64_t at) {
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekg(std::streamoff(at));
    const char old = char(stream.get());
    stream.seekp(std::streamoff(at));
    stream.put(char(old ^ 0x40));
}

}  // namespace

class SpoolTest : public QObject {
    Q_OBJECT
private slots:
    void positionsResume() {
        test::Scratch scratch;
        auto spool = Spool::open(scratch / "s");
        VERIFY_OK(spool);
        std::vector<std::uint64_t> positions;
        for (std::uint64_t i = 0; i < 5; ++i) {
            const auto position = spool->append(samplesOf(i * 10, 10));
            VERIFY_OK(position);
            positions.push_back(*position);
        }
        VERIFY_OK(spool->append({}));
        VERIFY_OK(spool->sync());
        const auto reader = SpoolReader::open(scratch / "s");
        VERIFY_OK(reader);
        const auto all = reader->read(0);
        VERIFY_OK(all);
        QCOMPARE(all->samples.size(), std::size_t{50});
        QVERIFY(areSamplesFrom(all->samples, 0));
        QCOMPARE(all->next, positions.back());
        const auto rest = reader->read(positions[2], 10);
        VERIFY_OK(rest);
        QCOMPARE(rest->samples.size(), std::size_t{10});
        QVERIFY(areSamplesFrom(rest->samples, 30));
        QCOMPARE(rest->next, positions[3]);
        const auto nothing = reader->read(positions.back());
        VERIFY_OK(nothing);
        QVERIFY(nothing->samples.empty());
        QCOMPARE(nothing->next, positions.back());
        VERIFY_ERROR(reader->read(positions[1] + 1), "F614");
        VERIFY_ERROR(reader->read(positions.back() + 1), "F614");
    }
    void oneWriter() {
        test::Scratch scratch;
        auto spool = Spool::open(scratch / "s");
        VERIFY_OK(spool);
        VERIFY_ERROR(Spool::open(scratch / "s"), "F604");
    }
    void tornAtEveryByte() {
        test::Scratch scratch;
        std::vector<std::uint64_t> ends;
        {
            auto spool = Spool::open(scratch / "whole");
            VERIFY_OK(spool);
            for (std::uint64_t i = 0; i < 4; ++i) ends.push_back(*spool->append(samplesOf(i * 3, 3)));
        }
        for (std::uint64_t size = ends[1]; size <= ends[3]; ++size) {
            const auto file = scratch / "torn";
            std::filesystem::copy_file(scratch / "whole", file, std::filesystem::copy_options::overwrite_existing);
            std::filesystem::resize_file(file, size);
            if (size % 2 == 0) std::filesystem::resize_file(file, size + 5000);  // as after a power cut: grown, zeroes
            const std::uint64_t frames = size >= ends[3] ? 4 : size >= ends[2] ? 3 : 2;
            const auto reader = SpoolReader::open(file);
            VERIFY_OK(reader);
            auto piece = reader->read(0);
            // A frame whose later part is zeroes is indistinguishable from damage and is named as such by readers and writers alike.
            if (size % 2 == 0 && size != ends[2] && size != ends[3] && !piece.ok()) {
                VERIFY_ERROR(piece, "F614");
                continue;
            }
            VERIFY_OK(piece);
            QCOMPARE(piece->samples.size(), std::size_t(frames * 3));
            auto spool = Spool::open(file);
            VERIFY_OK(spool);
            QCOMPARE(spool->samples(), frames * 3);
            VERIFY_OK(spool->append(samplesOf(frames * 3, 2)));
            piece = reader->read(0);
            VERIFY_OK(piece);
            QCOMPARE(piece->samples.size(), std::size_t(frames * 3 + 2));
            QVERIFY(areSamplesFrom(piece->samples, 0));
        }
    }
    void damageInTheMiddleIsNamed() {
        test::Scratch scratch;
        std::uint64_t first = 0;
        {
            auto spool = Spool::open(scratch / "s");
            VERIFY_OK(spool);
            first = *spool->append(samplesOf(0, 4));
            VERIFY_OK(spool->append(samplesOf(4, 4)));
            VERIFY_OK(spool->append(samplesOf(8, 4)));
        }
        flipByte(scratch / "s", first + 40);
        const auto reader = SpoolReader::open(scratch / "s");
        VERIFY_OK(reader);
        VERIFY_OK(reader->read(0, 4));
        VERIFY_ERROR(reader->read(first), "F614");
        VERIFY_ERROR(Spool::open(scratch / "s"), "F614");
        flipByte(scratch / "s", 8);
        VERIFY_ERROR(SpoolReader::open(scratch / "s"), "F614");
        VERIFY_ERROR(SpoolReader::open(scratch / "none"), "F602");
    }
    void discardedSpaceKeepsPositions() {
        test::Scratch scratch;
        std::uint64_t middle = 0;
        std::uint64_t end = 0;
        {
            auto spool = Spool::open(scratch / "s");
            VERIFY_OK(spool);
            for (std::uint64_t i = 0; i < 40; ++i) end = *spool->append(samplesOf(i * 1000, 1000)), middle = i == 29 ? end : middle;
            struct stat before {
            }, after{};
            QCOMPARE(::stat((scratch / "s").c_str(), &before), 0);
            VERIFY_OK(spool->discardBefore(middle));
            QCOMPARE(::stat((scratch / "s").c_str(), &after), 0);
            QCOMPARE(after.st_size, before.st_size);
            QVERIFY(after.st_blocks < before.st_blocks / 2);
            VERIFY_ERROR(spool->discardBefore(middle + 1), "F614");
        }
        auto again = Spool::open(scratch / "s");
        VERIFY_OK(again);
        QCOMPARE(again->samples(), std::uint64_t{40000});
        QCOMPARE(again->position(), end);
        const auto reader = SpoolReader::open(scratch / "s");
        VERIFY_OK(reader);
        const auto piece = reader->read(0);
        VERIFY_OK(piece);
        QCOMPARE(piece->samples.size(), std::size_t{10000});
        QVERIFY(areSamplesFrom(piece->samples, 30000));
        VERIFY_OK(again->discardBefore(~std::uint64_t{0}));
        QCOMPARE(reader->read(0)->next, end);
    }
    void fullDiskLeavesTheFileWhole() {
        test::Scratch scratch;
        auto spool = Spool::open(scratch / "s");
        VERIFY_OK(spool);
        VERIFY_OK(spool->append(samplesOf(0, 100)));
        rlimit old{};
        QCOMPARE(::getrlimit(RLIMIT_FSIZE, &old), 0);
        const auto oldHandler = ::signal(SIGXFSZ, SIG_IGN);
        const rlimit small{8192, old.rlim_max};
        QCOMPARE(::setrlimit(RLIMIT_FSIZE, &small), 0);
        const auto refused = spool->append(samplesOf(100, 1000));
        QCOMPARE(::setrlimit(RLIMIT_FSIZE, &old), 0);
        ::signal(SIGXFSZ, oldHandler);
        VERIFY_ERROR(refused, "F604");
        VERIFY_OK(spool->append(samplesOf(100, 50)));
        const auto reader = SpoolReader::open(scratch / "s");
        VERIFY_OK(reader);
        const auto piece = reader->read(0);
        VERIFY_OK(piece);
        QCOMPARE(piece->samples.size(), std::size_t{150});
        QVERIFY(areSamplesFrom(piece->samples, 0));
    }
    // Ring → spool by an agent that is killed again and again: each sample is in the spool once.
    void killedAgents() {
        test::Scratch scratch;
        auto ring = Ring::create(1u << 12);
        VERIFY_OK(ring);
        std::uint64_t pushed = 0;
        for (int round = 0; round < 20; ++round) {
            const pid_t agent = ::fork();
            QVERIFY(agent >= 0);
            if (agent == 0) {
                auto spool = Spool::open(scratch / "s");
                if (!spool.ok()) ::_exit(1);
                // The one before died between append and release.
                ring->release(spool->samples() - ring->taken());
                for (;;) {
                    const auto samples = ring->peek(64);
                    if (samples.empty()) continue;
                    if (!spool->append(samples).ok()) ::_exit(1);
                    ring->release(samples.size());
                }
            }
            const auto deadline = Deadline::in(Seconds(20));
            const auto until = pushed + 3000 + 211 * static_cast<std::uint64_t>(round);
            while (pushed < until && !deadline.passed())
                if (ring->push(sampleOf(pushed))) ++pushed;
            QCOMPARE(pushed, until);
            QCOMPARE(::kill(agent, SIGKILL), 0);
            int status = 0;
            QCOMPARE(::waitpid(agent, &status, 0), agent);
            QVERIFY(WIFSIGNALED(status));
        }
        auto spool = Spool::open(scratch / "s");
        VERIFY_OK(spool);
        ring->release(spool->samples() - ring->taken());
        VERIFY_OK(spool->append(ring->drain()));
        const auto reader = SpoolReader::open(scratch / "s");
        VERIFY_OK(reader);
        const auto piece = reader->read(0, 1u << 20);
        VERIFY_OK(piece);
        QCOMPARE(piece->samples.size(), std::size_t(pushed));
        QVERIFY(areSamplesFrom(piece->samples, 0));
    }
};

LOCKSTEP_TEST(SpoolTest)
#include "spool_test.moc"
