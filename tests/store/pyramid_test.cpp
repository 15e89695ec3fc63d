#include "store_support.h"

#include <support/scratch.h>
#include <support/test.h>

#include <base/random.h>
#include <store/reader.h>
#include <store/writer.h>

#include <cmath>
#include <limits>
#include <numeric>

using namespace lockstep;
using namespace lockstep::store;
using telemetry::Batch;
using telemetry::Point;

namespace {

constexpr std::uint64_t kCount = 100000;
constexpr std::uint64_t kSpikeAt = 54321;

std::vector<Point> curveWithSpike() {
    std::vector<Point> points;
    for (std::uint64_t step = 1; step <= kCount; ++step)
        points.push_back({step, 1.7e9 + double(step), step == kSpikeAt ? 1e6 : std::sin(double(step) * 0.001)});
    return points;
}

Bucket bruteForce(const std::vector<Point>& points, std::uint64_t from, std::uint64_t to) {
    Bucket bucket;
    for (const auto& point : points) {
        if (point.step < from || point.step > to) continue;
        if (bucket.count++ == 0) bucket = {point.step, 0, point.time, 0, point.value, point.value, 0, 1};
        bucket.min = std::fmin(bucket.min, point.value);
        bucket.max = std::fmax(bucket.max, point.value);
        bucket.last = point.value;
        bucket.lastStep = point.step;
        bucket.lastTime = point.time;
    }
    return bucket;
}

}  // namespace

class PyramidTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        m_points = curveWithSpike();
        auto writer = Writer::open(m_file);
        VERIFY_OK(writer);
        for (std::size_t at = 0; at < m_points.size(); at += 777) {
            const auto end = std::min(at + 777, m_points.size());
            VERIFY_OK((*writer)->append(std::vector<Batch>{{{"loss", 0}, {m_points.begin() + at, m_points.begin() + end}}}, "s", end));
            if (at % 2 == 0) VERIFY_OK((*writer)->flush());
        }
        VERIFY_OK((*writer)->flush());
        auto reader = Reader::open(m_file);
        VERIFY_OK(reader);
        m_reader = std::move(*reader);
    }
    void levelsAreComplete() {
        const std::uint64_t sealed = kCount / 4096 * 4096;
        for (int level = 1; level <= 4; ++level) {
            const std::uint64_t span = 1ull << 4 * level;
            const auto where = " FROM bucket WHERE level = " + std::to_string(level);
            QCOMPARE(test::sql(m_file, "SELECT count(*)" + where), std::to_string(sealed / span));
            QCOMPARE(test::sql(m_file, "SELECT max(max)" + where), std::string("1000000.0"));
        }
        QCOMPARE(test::sql(m_file, "SELECT count(*) FROM chunk"), std::to_string(sealed / 4096));
        QCOMPARE(test::sql(m_file, "SELECT sum(count) FROM tail"), std::to_string(kCount - sealed));
    }
    void spikeIsSeenAtEveryZoom() {
        for (const std::size_t most : {1, 2, 3, 10, 24, 25, 100, 390, 391, 1000, 6000, 6250, 20000, 100000}) {
            const auto buckets = m_reader->buckets({"loss", 0}, 0, kCount, most);
            VERIFY_OK(buckets);
            QVERIFY2(buckets->size() <= most && buckets->size() * 3 > most, std::to_string(buckets->size()).c_str());
            int withSpike = 0;
            std::uint64_t count = 0;
            std::uint64_t step = 0;
            for (const auto& bucket : *buckets) {
                QCOMPARE(bucket.firstStep, step + 1);
                QCOMPARE(bucket.count, bucket.lastStep - bucket.firstStep + 1);
                step = bucket.lastStep;
                count += bucket.count;
                if (bucket.max != 1e6) continue;
                ++withSpike;
                QVERIFY(bucket.firstStep <= kSpikeAt && kSpikeAt <= bucket.lastStep);
            }
            QCOMPARE(count, kCount);
            QCOMPARE(withSpike, 1);
        }
    }
    void anyRangeIsExact() {
        Philox random(11, 1);
        for (int round = 0; round < 60; ++round) {
            std::uint64_t from = 1 + random.nextBelow(kCount);
            std::uint64_t to = 1 + random.nextBelow(kCount);
            if (from > to) std::swap(from, to);
            const std::size_t most = 1 + random.nextBelow(300);
            const auto buckets = m_reader->buckets({"loss", 0}, from, to, most);
            VERIFY_OK(buckets);
            QVERIFY(!buckets->empty() && buckets->size() <= most);
            QCOMPARE(buckets->front().firstStep, from);
            QCOMPARE(buckets->back().lastStep, to);
            std::uint64_t count = 0;
            for (const auto& bucket : *buckets) count += bucket.count;
            QCOMPARE(count, to - from + 1);
            const auto one = (*buckets)[random.nextBelow(static_cast<std::uint32_t>(buckets->size()))];
            QVERIFY(one == bruteForce(m_points, one.firstStep, one.lastStep));
        }
        QVERIFY(m_reader->buckets({"loss", 0}, kCount + 1, kCount + 9, 10)->empty());
        QVERIFY(m_reader->buckets({"none", 0}, 0, kCount, 10)->empty());
    }
    void notANumber() {
        test::Scratch scratch;
        constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
        std::vector<Point> points;
        for (std::uint64_t step = 1; step <= 8192; ++step)
            points.push_back({step, 0, step <= 4096 ? kNan : step == 5000 ? -7 : step % 2 ? kNan : 3});
        auto writer = Writer::open(scratch / "run.db");
        VERIFY_OK(writer);
        VERIFY_OK((*writer)->append(std::vector<Batch>{{{"loss", 0}, points}}, "", 0));
        VERIFY_OK((*writer)->flush());
        auto reader = Reader::open(scratch / "run.db");
        VERIFY_OK(reader);
        const auto buckets = (*reader)->buckets({"loss", 0}, 0, 9000, 2);
        VERIFY_OK(buckets);
        QCOMPARE(buckets->size(), std::size_t{2});
        QVERIFY(std::isnan((*buckets)[0].min) && std::isnan((*buckets)[0].max) && std::isnan((*buckets)[0].last));
        QCOMPARE((*buckets)[1].min, -7.0);
        QCOMPARE((*buckets)[1].max, 3.0);
    }

private:
    test::Scratch m_scratch;
    std::filesystem::path m_file = m_scratch / "run.db";
    std::vector<Point> m_points;
    std::unique_ptr<Reader> m_reader;
};

LOCKSTEP_TEST(PyramidTest)
#include "pyramid_test.moc"
