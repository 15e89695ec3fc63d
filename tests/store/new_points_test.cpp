#include "store_support.h"

#include <support/scratch.h>
#include <support/test.h>

#include <store/reader.h>
#include <store/writer.h>

#include <map>
#include <random>

using namespace lockstep;
using namespace lockstep::store;
using telemetry::SeriesKey;

// Whoever follows with newPoints() has, at every moment, what points() gives.
class NewPointsTest : public QObject {
    Q_OBJECT
private slots:
    void followedAgainstRead() {
        std::mt19937 random(23);
        const std::vector<SeriesKey> keys = {{"loss", -1}, {"val_loss", -1}, {"step_seconds", 0}, {"step_seconds", 1}};
        for (int round = 0; round < 6; ++round) {
            test::Scratch scratch;
            auto writer = Writer::open(scratch / "run.db");
            VERIFY_OK(writer);
            auto reader = Reader::open(scratch / "run.db");
            VERIFY_OK(reader);
            std::map<SeriesKey, std::uint64_t> step;
            std::map<SeriesKey, std::vector<telemetry::Point>> seen;
            ReadMarks marks;
            for (int action = 0; action < 40; ++action) {
                const auto& key = keys[random() % keys.size()];
                auto& last = step[key];
                // Taken up again from a checkpoint: some steps come once more.
                if (random() % 6 == 0) last -= std::min<std::uint64_t>(last, random() % 300);
                telemetry::Batch batch{key, {}};
                const auto gap = key.name == "val_loss" ? 1 + random() % 20'000 : 1;
                for (auto count = random() % (action % 10 == 0 ? 9000 : 50); count > 0; --count) {
                    last += gap;
                    batch.points.push_back({last, static_cast<double>(last), static_cast<double>(random())});
                }
                const std::vector<telemetry::Batch> batches{batch};
                VERIFY_OK((*writer)->append(batches, "", 0));
                VERIFY_OK((*writer)->flush());
                if (random() % 3 != 0) continue;
                VERIFY_OK(follow(**reader, marks, seen, 1000 + random() % 5000));
                for (const auto& other : keys) {
                    const auto stored = (*reader)->points(other);
                    VERIFY_OK(stored);
                    QVERIFY2(test::sameBits(seen[other], *stored), other.name.c_str());
                }
            }
        }
    }
    void onlyTheSeriesAskedFor() {
        test::Scratch scratch;
        auto writer = Writer::open(scratch / "run.db");
        VERIFY_OK(writer);
        const std::vector<telemetry::Batch> batches{{{"loss", -1}, {{1, 1, 1}}}, {{"accuracy", -1}, {{1, 1, 2}}}};
        VERIFY_OK((*writer)->append(batches, "", 0));
        VERIFY_OK((*writer)->flush());
        const auto reader = Reader::open(scratch / "run.db");
        VERIFY_OK(reader);
        ReadMarks marks;
        const std::vector<SeriesKey> only{{"loss", -1}};
        const auto news = (*reader)->newPoints(marks, only, 100);
        VERIFY_OK(news);
        QCOMPARE(news->series.size(), std::size_t{1});
        QCOMPARE(news->series[0].key.name, std::string("loss"));
        QVERIFY(!news->more);
        QVERIFY((*reader)->newPoints(marks, only, 100)->series.empty());
    }

private:
    static Result<void> follow(const Reader& reader, ReadMarks& marks, std::map<SeriesKey, std::vector<telemetry::Point>>& seen,
                               std::size_t most) {
        for (bool more = true; more;) {
            LS_TRY_ASSIGN(const auto news, reader.newPoints(marks, {}, most));
            for (const auto& series : news.series) {
                auto& points = seen[series.key];
                std::erase_if(points, [&](const telemetry::Point& point) { return point.step >= series.from; });
                points.insert(points.end(), series.points.begin(), series.points.end());
            }
            more = news.more;
        }
        return {};
    }
};

LOCKSTEP_TEST(NewPointsTest)
#include "new_points_test.moc"
