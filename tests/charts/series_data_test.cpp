// SeriesData against brute force over plain vectors.
#include <charts/series_data.h>
#include <support/test.h>

#include "look.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace lockstep::charts;
using lockstep::charts::test::Noise;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Piecewise {
    SeriesData data;
    std::vector<Sample> plain;
};

// Uneven steps, NaN, infinities, negative values, resumes.
void fill(Piecewise& out, std::uint64_t seed, std::size_t points) {
    Noise noise(seed);
    std::uint64_t step = 1;
    double time = 1000;
    for (std::size_t i = 0; i < points; ++i) {
        step += noise.below(4);
        time += noise.uniform();
        if (noise.below(4000) == 0) step -= std::min<std::uint64_t>(step - 1, noise.below(500));
        double value = noise.normal();
        if (noise.below(50) == 0) value = kNan;
        if (noise.below(300) == 0) value = std::numeric_limits<double>::infinity();
        out.plain.push_back({step, time, value});
        out.data.append(out.plain.back());
    }
}

View viewOf(double from, double to, int columns, Scale yScale = Scale::Linear) {
    return {XAxis::Step, 0, {from, to}, columns, Scale::Linear, yScale};
}

bool hasPoint(const Thinned& thinned, double x, double y) {
    return std::any_of(thinned.points.begin(), thinned.points.end(), [&](const PlotPoint& point) { return point.x == x && point.y == y; });
}

}  // namespace

class SeriesDataTest : public QObject {
    Q_OBJECT
private slots:
    void columnsEqualBruteForce() {
        for (std::uint64_t seed = 1; seed <= 6; ++seed) {
            Piecewise both;
            fill(both, seed, 9000);
            Noise noise(seed + 100);
            for (int round = 0; round < 20; ++round) {
                const double last = double(both.plain.back().step);
                const double from = noise.uniform() * last;
                const double to = from + 1 + noise.uniform() * (last - from);
                const int columns = 1 + static_cast<int>(noise.below(300));
                compare(both, viewOf(from, to, columns));
            }
        }
    }

    void everyExtremeOfEveryColumnIsDrawn() {
        Piecewise both;
        fill(both, 7, 20000);
        const View view = viewOf(2000, 18000, 200);
        const Thinned thinned = both.data.thin(view);
        QVERIFY(thinned.buckets == 200);
        const std::size_t pieces = both.data.pieces().size();
        QVERIFY(thinned.points.size() <= pieces * (2 * 200 + 4));
        const auto columns = both.data.columns(view);
        for (const ColumnStats& column : columns) {
            if (column.samples == 0) continue;
            const auto drawn = [&](double y) {
                return std::any_of(thinned.points.begin(), thinned.points.end(), [&](const PlotPoint& point) { return point.y == y; });
            };
            QVERIFY(drawn(column.min));
            QVERIFY(drawn(column.max));
        }
    }

    void spikeStaysAtEveryZoom() {
        SeriesData data;
        for (std::uint64_t step = 1; step <= 300000; ++step)
            data.append({step, double(step), step == 123457 ? 99.0 : std::sin(double(step))});
        for (const double half : {1e6, 1e5, 3e4, 5000.0, 600.0, 20.0, 1.5})
            for (const int columns : {1, 7, 300, 1900})
                QVERIFY(hasPoint(data.thin(viewOf(123457 - half, 123457 + half, columns)), 123457, 99));
    }

    void atMostTwoPointsPerColumnAndTheLastIsKept() {
        const auto data = lockstep::charts::test::lossCurve(100000, 3);
        for (const int columns : {10, 333, 1200}) {
            const Thinned thinned = data->thin(viewOf(0, 100000, columns));
            QVERIFY(thinned.points.size() <= std::size_t(2 * columns + 2));
            QCOMPARE(thinned.visible, std::size_t(100000));
            QCOMPARE(thinned.points.back().x, 100000.0);
            QCOMPARE(thinned.points.back().y, data->last().value);
            QVERIFY(std::is_sorted(thinned.points.begin(), thinned.points.end(), [](const auto& a, const auto& b) { return a.x < b.x; }));
        }
    }

    void fewPointsAreDrawnAsTheyAre() {
        SeriesData data;
        for (std::uint64_t step = 1; step <= 50; ++step) data.append({step, 0, double(step % 7)});
        const Thinned thinned = data.thin(viewOf(10, 20, 100));
        QCOMPARE(thinned.buckets, std::size_t(0));
        QCOMPARE(thinned.visible, std::size_t(11));
        QCOMPARE(thinned.points.size(), std::size_t(13));  // and one neighbour on either side
    }

    void gapsBreakTheLine() {
        SeriesData data;
        for (std::uint64_t step = 0; step < 10; ++step) data.append({step, 0, step == 4 || step == 5 ? kNan : 1.0});
        const Thinned thinned = data.thin(viewOf(0, 10, 100));
        QCOMPARE(thinned.points.size(), std::size_t(9));
        QVERIFY(std::isnan(thinned.points[4].y));
        QCOMPARE(data.summary(viewOf(0, 10, 1)).notFinite, std::size_t(2));
    }

    void gapWiderThanAColumnStaysWhenThinned() {
        SeriesData data;
        for (std::uint64_t step = 0; step < 10000; ++step) data.append({step, 0, step >= 4000 && step < 4500 ? kNan : 1.0});
        const Thinned thinned = data.thin(viewOf(0, 10000, 100));
        const auto gap =
            std::find_if(thinned.points.begin(), thinned.points.end(), [](const PlotPoint& point) { return std::isnan(point.y); });
        QVERIFY(gap != thinned.points.end());
        QVERIFY(gap->x >= 4000 && gap->x <= 4500);
    }

    void logAxisHidesAndCounts() {
        SeriesData data;
        for (std::uint64_t step = 1; step <= 1000; ++step)
            data.append({step, 0, step % 10 == 0 ? -1.0 : step % 11 == 0 ? 0.0 : double(step)});
        for (const int columns : {20, 2000}) {
            const Thinned thinned = data.thin(viewOf(0, 1000, columns, Scale::Log));
            const Summary summary = data.summary(viewOf(0, 1000, columns, Scale::Log));
            QCOMPARE(summary.notPositive, std::size_t(181));
            QCOMPARE(*summary.values, (Range{1, 999}));
            for (const PlotPoint& point : thinned.points) QVERIFY(std::isnan(point.y) || point.y > 0);
            QVERIFY(hasPoint(thinned, 1, 1));
        }
    }

    void stepsMeasuredAgainBeginAPiece() {
        SeriesData data;
        for (std::uint64_t step = 1; step <= 100; ++step) data.append({step, double(step), 1});
        for (std::uint64_t step = 51; step <= 120; ++step) data.append({step, double(step + 100), 2});
        QCOMPARE(data.pieces().size(), std::size_t(2));
        const Thinned thinned = data.thin(viewOf(0, 200, 1000));
        // One break between the pieces, and inside of each x only rises.
        QCOMPARE(std::count_if(thinned.points.begin(), thinned.points.end(), [](const PlotPoint& point) { return std::isnan(point.y); }),
                 1);
        for (std::size_t i = 1; i < thinned.points.size(); ++i)
            if (!std::isnan(thinned.points[i].y) && !std::isnan(thinned.points[i - 1].y))
                QVERIFY(thinned.points[i].x > thinned.points[i - 1].x);
        // The later measurement wins where one value is asked for.
        QCOMPARE(data.at(*data.nearest(75, XAxis::Step, 0)).value, 2.0);
        QCOMPARE(data.at(*data.nearest(20, XAxis::Step, 0)).value, 1.0);
        QCOMPARE(data.columns(viewOf(60, 80, 1))[0].mean, 2.0);
        QCOMPARE(data.columns(viewOf(60, 80, 1))[0].min, 1.0);
    }

    void timeNeverGoesBackInsideOfAPiece() {
        SeriesData data;
        for (const double time : {10.0, 12.0, 11.0, kNan, 13.0}) data.append({data.size() + 1, time, 0});
        QCOMPARE(data.at(2).time, 12.0);
        QCOMPARE(data.at(3).time, 12.0);
        QCOMPARE(data.at(4).time, 13.0);
        QCOMPARE(data.extent(XAxis::Elapsed, 10)->to, 3.0);
    }

    void outsideEqualsBruteForce() {
        Piecewise both;
        fill(both, 11, 30000);
        for (const double limit : {0.1, 1.0, 2.5, 9.0}) {
            std::size_t expected = 0;
            for (const Sample& each : both.plain)
                if (each.step >= 1000 && each.step <= 30000 && std::isfinite(each.value) && std::abs(each.value) > limit) ++expected;
            QCOMPARE(both.data.outside(viewOf(1000, 30000, 1), {-limit, limit}), expected);
        }
    }

    void nearestEqualsBruteForce() {
        SeriesData data;
        Noise noise(5);
        std::vector<double> steps;
        std::uint64_t step = 0;
        for (int i = 0; i < 2000; ++i) {
            step += 1 + noise.below(9);
            steps.push_back(double(step));
            data.append({step, double(step), 0});
        }
        for (int i = 0; i < 500; ++i) {
            const double x = noise.uniform() * (double(step) + 50);
            const double best = std::abs(
                *std::min_element(steps.begin(), steps.end(), [&](double a, double b) { return std::abs(a - x) < std::abs(b - x); }) - x);
            QCOMPARE(std::abs(double(data.at(*data.nearest(x, XAxis::Step, 0)).step) - x), best);
        }
    }

    void clearBeginsAnew() {
        SeriesData data;
        data.append({5, 1, 1});
        const auto generation = data.generation();
        data.clear();
        QVERIFY(data.empty() && data.generation() > generation);
        QVERIFY(!data.extent(XAxis::Step, 0));
        QVERIFY(data.thin(viewOf(0, 1, 10)).points.empty());
        data.append({1, 1, 1});
        QCOMPARE(data.pieces().size(), std::size_t(1));
    }

    void cutFromLeavesWhatWasBefore() {
        SeriesData data;
        for (std::uint64_t step = 1; step <= 3 * kBlockSamples; ++step) data.append({step, double(step), double(step)});
        const auto revision = data.revision(), generation = data.generation();
        data.cutFrom(3 * kBlockSamples + 1);
        QCOMPARE(data.size(), 3 * kBlockSamples);
        QCOMPARE(data.revision(), revision);
        data.cutFrom(kBlockSamples + 11);
        QCOMPARE(data.size(), kBlockSamples + 10);
        QCOMPARE(data.last().step, std::uint64_t{kBlockSamples + 10});
        QVERIFY(data.revision() > revision && data.generation() > generation);
        data.append({kBlockSamples + 11, 1e6, 7});
        QCOMPARE(data.pieces().size(), std::size_t{1});
        const auto summary = data.summary({XAxis::Step, 0, {1, 1e9}, 10});
        QCOMPARE(summary.visible, kBlockSamples + 11);
        QCOMPARE(summary.values->to, double(kBlockSamples + 10));
        data.cutFrom(0);
        QVERIFY(data.empty());
    }

    // Series that were measured together keep their steps and times once, and nothing of them is rounded.
    void placesAreKeptOnce() {
        constexpr std::size_t kSamples = 5 * kBlockSamples + 17;
        const auto pool = std::make_shared<PlacePool>();
        std::vector<std::unique_ptr<SeriesData>> together;
        for (int i = 0; i < 12; ++i) together.push_back(std::make_unique<SeriesData>(pool));
        SeriesData late(pool);
        const auto sampleOf = [](std::size_t i, std::size_t series) {
            Noise noise(i * 31 + series);
            return Sample{10 + 3 * i + (i > 9000 ? 1 : 0), 1.7e9 + 0.1 * double(i), noise.normal()};
        };
        for (std::size_t i = 0; i < kSamples; ++i) {
            for (std::size_t series = 0; series < together.size(); ++series) together[series]->append(sampleOf(i, series));
            if (i > 0) late.append(sampleOf(i, 99));
        }
        QCOMPARE(pool->size(), std::size_t{10});  // 5 blocks of the twelve, 5 of the one that began later
        for (std::size_t i = 0; i < kSamples; ++i)
            for (std::size_t series = 0; series < together.size(); ++series) {
                const Sample wanted = sampleOf(i, series), kept = together[series]->at(i);
                QVERIFY(kept.step == wanted.step && kept.time == wanted.time && kept.value == wanted.value);
            }
        QVERIFY(late.at(4999).step == sampleOf(5000, 99).step && late.at(4999).value == sampleOf(5000, 99).value);
        together.clear();
        QCOMPARE(pool->size(), std::size_t{5});
    }

private:
    static void compare(const Piecewise& both, const View& view) {
        const auto columns = both.data.columns(view);
        QCOMPARE(columns.size(), std::size_t(view.columns));
        for (int i = 0; i < view.columns; ++i) {
            const ColumnStats& column = columns[i];
            std::size_t count = 0;
            double low = 1e300;
            double high = -1e300;
            for (const Sample& each : both.plain) {
                const double x = double(each.step);
                const bool inside = x >= column.x.from && (x < column.x.to || (i + 1 == view.columns && x <= view.x.to));
                if (!inside || !std::isfinite(each.value)) continue;
                ++count;
                low = std::min(low, each.value);
                high = std::max(high, each.value);
            }
            QCOMPARE(column.samples, count);
            if (count > 0) {
                QCOMPARE(column.min, low);
                QCOMPARE(column.max, high);
            }
        }
    }
};

LOCKSTEP_TEST(SeriesDataTest)
#include "series_data_test.moc"
