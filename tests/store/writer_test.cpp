#include "store_support.h"

#include <support/scratch.h>
#include <support/test.h>

#include <base/file.h>
#include <base/random.h>
#include <store/reader.h>
#include <store/writer.h>

#include <signal.h>
#include <limits>

using namespace lockstep;
using namespace lockstep::store;
using telemetry::Batch;
using telemetry::Point;
using telemetry::SeriesKey;

class WriterTest : public QObject {
    Q_OBJECT
private slots:
    void factsStatesEventsRanks() {
        test::Scratch scratch;
        const std::string hostile = "a'); DROP TABLE state;--\x1b[31m <b>";
        std::vector<RankRow> ranks = {{0, "here", "cpu:0", 4711, "running", 12}, {1, hostile, "cpu:1", 4712, "failed", 11}};
        std::vector<Event> events = {{1.5, "exit", 1, 11, "Rank 1 ended.", "{\"signal\":9}"}, {2.5, "checkpoint", -1, 10, hostile, ""}};
        {
            auto writer = Writer::open(scratch / "run.db");
            VERIFY_OK(writer);
            VERIFY_OK((*writer)->setMeta("name", "first"));
            VERIFY_OK((*writer)->setMeta("name", hostile));
            VERIFY_OK((*writer)->setMeta("note", ""));
            VERIFY_OK((*writer)->setState(RunState::Staging, "", "user"));
            VERIFY_OK((*writer)->setState(RunState::Completed, "All epochs done.", "controller"));
            for (const auto& row : ranks) VERIFY_OK((*writer)->setRank(row));
            for (const auto& event : events) VERIFY_OK((*writer)->addEvent(event));
            ranks[0].step = 40;
            VERIFY_OK((*writer)->setRank(ranks[0]));  // only the step: may wait for the next commit
        }
        auto reader = Reader::open(scratch / "run.db");
        VERIFY_OK(reader);
        QCOMPARE(*(*reader)->meta("name"), hostile);
        QCOMPARE(*(*reader)->meta("absent"), std::string());
        const auto states = (*reader)->states();
        VERIFY_OK(states);
        QCOMPARE(states->size(), std::size_t{2});
        QVERIFY((*states)[1].state == RunState::Completed && (*states)[1].cause == "All epochs done." &&
                (*states)[1].actor == "controller");
        QVERIFY((*states)[0].time <= (*states)[1].time && (*states)[0].time > 1.7e9);
        QVERIFY(*(*reader)->ranks() == ranks);
        events[0].id = 1;
        events[1].id = 2;
        QVERIFY(*(*reader)->events() == events);
        QVERIFY(*(*reader)->events(1) == std::vector<Event>{events[1]});
        QVERIFY((*reader)->events(2)->empty());
    }
    void pointsBitForBit() {
        test::Scratch scratch;
        Philox random(5, 1);
        const auto bits = [&] { return std::uint64_t{random.nextU32()} << 32 | random.nextU32(); };
        std::vector<Point> wild = {{1, 0, std::numeric_limits<double>::quiet_NaN()},
                                   {2, 1, std::bit_cast<double>(0xFFF8000000000001ull)},
                                   {3, 2, std::numeric_limits<double>::infinity()},
                                   {4, 3, -std::numeric_limits<double>::infinity()},
                                   {5, 4, -0.0},
                                   {6, 5, 5e-324}};
        for (std::uint64_t step = 7; step < 9000; ++step)
            wild.push_back({step, std::bit_cast<double>(bits()), std::bit_cast<double>(bits())});
        wild.push_back({std::numeric_limits<std::int64_t>::max(), 1, 2});
        {
            auto writer = Writer::open(scratch / "run.db");
            VERIFY_OK(writer);
            for (std::size_t at = 0; at < wild.size();) {
                const auto count = std::min<std::size_t>(wild.size() - at, 1 + random.nextBelow(900));
                VERIFY_OK((*writer)->append(std::vector<Batch>{{{"loss", 3}, {wild.begin() + at, wild.begin() + at + count}}}, "", 0));
                at += count;
                if (random.nextBelow(2) == 0) VERIFY_OK((*writer)->flush());
            }
            VERIFY_OK((*writer)->append(std::vector<Batch>{{{"loss", -1}, {{1, 2, 3}}}, {{"empty", 0}, {}}}, "", 0));
        }
        auto reader = Reader::open(scratch / "run.db");
        VERIFY_OK(reader);
        QVERIFY((*(*reader)->series() == std::vector<SeriesKey>{{"loss", -1}, {"loss", 3}}));
        const auto back = (*reader)->points({"loss", 3});
        VERIFY_OK(back);
        QVERIFY(test::sameBits(*back, wild));
        const auto part = (*reader)->points({"loss", 3}, 4000, 4200);
        VERIFY_OK(part);
        QVERIFY(test::sameBits(*part, {wild.begin() + 3999, wild.begin() + 4200}));
        QVERIFY(*(*reader)->lastPoint({"loss", 3}) == wild.back());
        QVERIFY((*reader)->points({"loss", 9})->empty());
        VERIFY_ERROR((*reader)->lastPoint({"loss", 9}), "F611");
    }
    void positionsMakeRepetitionsHarmless() {
        test::Scratch scratch;
        const auto batch = [](std::uint64_t step) { return std::vector<Batch>{{{"loss", 0}, {{step, double(step), 1.0}}}}; };
        for (int session = 0; session < 3; ++session) {
            auto writer = Writer::open(scratch / "run.db");
            VERIFY_OK(writer);
            const auto done = (*writer)->spoolPosition("agent-a");
            VERIFY_OK(done);
            QCOMPARE(*done, std::uint64_t(session) * 100);
            QCOMPARE(*(*writer)->spoolPosition("agent-b"), std::uint64_t{0});
            VERIFY_OK((*writer)->append(batch(session + 1), "agent-a", *done + 100));
            VERIFY_OK((*writer)->append(batch(session + 1), "agent-a", *done + 100));
            VERIFY_OK((*writer)->append(batch(session + 1), "agent-a", *done + 50));
            QCOMPARE(*(*writer)->spoolPosition("agent-a"), *done + 100);
        }
        auto reader = Reader::open(scratch / "run.db");
        VERIFY_OK(reader);
        QVERIFY((*(*reader)->points({"loss", 0}) == std::vector<Point>{{1, 1, 1}, {2, 2, 1}, {3, 3, 1}}));
    }
    // A run that goes on from a checkpoint measures steps again: the newer value counts, the older one stays in the file.
    void resumedStepsReplaceOlderOnes() {
        test::Scratch scratch;
        auto writer = Writer::open(scratch / "run.db");
        VERIFY_OK(writer);
        const auto add = [&](std::uint64_t from, std::uint64_t to, double value) {
            std::vector<Point> points;
            for (auto step = from; step <= to; ++step) points.push_back({step, double(step), value});
            VERIFY_OK((*writer)->append(std::vector<Batch>{{{"loss", 0}, points}}, "", 0));
            VERIFY_OK((*writer)->flush());
        };
        add(1, 5000, 1);
        add(4001, 4500, 2);
        add(4500, 4600, 3);
        add(4300, 4310, 4);
        auto reader = Reader::open(scratch / "run.db");
        VERIFY_OK(reader);
        const auto points = (*reader)->points({"loss", 0});
        VERIFY_OK(points);
        QCOMPARE(points->size(), std::size_t{4310});
        for (std::size_t i = 0; i < points->size(); ++i) {
            QCOMPARE((*points)[i].step, i + 1);
            QCOMPARE((*points)[i].value, i < 4000 ? 1.0 : i < 4299 ? 2.0 : 4.0);
        }
        QVERIFY((*reader)->points({"loss", 0}, 4400, 4800)->empty());
        QCOMPARE((*reader)->lastPoint({"loss", 0})->step, std::uint64_t{4310});
        const auto buckets = (*reader)->buckets({"loss", 0}, 0, 5000, 1);
        VERIFY_OK(buckets);
        QCOMPARE(buckets->size(), std::size_t{1});
        QVERIFY((buckets->front() == Bucket{1, 4310, 1, 4310, 1, 4, 4, 4310}));
        QCOMPARE(test::sql(scratch / "run.db", "SELECT sum(count) FROM series"), std::string("5612"));
        QCOMPARE(test::sql(scratch / "run.db", "SELECT count(*) FROM series"), std::string("3"));
    }
    // What is measured seldom is replaced too: from the step at which the run went on, not from its own next point on.
    void resumedRunReplacesSeldomMeasuredSeries() {
        test::Scratch scratch;
        const auto add = [](Writer& writer, const SeriesKey& key, std::uint64_t from, std::uint64_t to, std::uint64_t every, double value) {
            std::vector<Point> points;
            for (auto step = from; step <= to; step += every) points.push_back({step, double(step), value});
            return writer.append(std::vector<Batch>{{key, points}}, "", 0);
        };
        const SeriesKey loss{"loss", -1}, memory{"memory_bytes", 0}, validation{"val_loss", -1}, other{"loss", 0};
        {
            auto first = Writer::open(scratch / "run.db");
            VERIFY_OK(first);
            VERIFY_OK(add(**first, loss, 1, 100, 1, 1));
            VERIFY_OK(add(**first, other, 1, 100, 1, 1));
            VERIFY_OK(add(**first, memory, 10, 100, 10, 1));
            VERIFY_OK(add(**first, validation, 50, 100, 50, 1));
        }
        auto second = Writer::open(scratch / "run.db");
        VERIFY_OK(second);
        std::vector<Point> again;
        for (std::uint64_t step = 61; step <= 80; ++step) again.push_back({step, double(step), 2});
        VERIFY_OK((*second)->append(std::vector<Batch>{{memory, {{75, 75, 2}}}, {loss, again}}, "", 0));
        VERIFY_OK(add(**second, other, 61, 80, 1, 2));
        VERIFY_OK((*second)->flush());
        VERIFY_OK(add(**second, validation, 100, 100, 1, 2));
        VERIFY_OK((*second)->flush());
        auto reader = Reader::open(scratch / "run.db");
        VERIFY_OK(reader);
        QCOMPARE((*reader)->points(loss)->size(), std::size_t{80});
        QCOMPARE((*reader)->points(other)->size(), std::size_t{80});
        const auto points = (*reader)->points(memory);
        VERIFY_OK(points);
        QCOMPARE(points->size(), std::size_t{7});
        QVERIFY(((*points)[5] == Point{60, 60, 1} && (*points)[6] == Point{75, 75, 2}));
        QVERIFY((*(*reader)->points(validation) == std::vector<Point>{{50, 50, 1}, {100, 100, 2}}));
        // Whoever follows is told the same.
        ReadMarks marks;
        const auto news = (*reader)->newPoints(marks, {}, 1000);
        VERIFY_OK(news);
        for (const auto& series : news->series)
            if (series.key == memory) QCOMPARE(series.points.size(), std::size_t{7});
        VERIFY_OK(add(**second, memory, 90, 90, 1, 2));
        VERIFY_OK((*second)->flush());
        QCOMPARE((*reader)->points(memory)->size(), std::size_t{8});
    }
    // Ranks that train on without a controller are adopted: nothing falls behind, nothing is replaced.
    void adoptedRunReplacesNothing() {
        test::Scratch scratch;
        for (const std::uint64_t from : {1u, 51u}) {
            auto writer = Writer::open(scratch / "run.db");
            VERIFY_OK(writer);
            std::vector<Point> points, seldom;
            for (auto step = from; step < from + 50; ++step) points.push_back({step, double(step), 1});
            for (auto step = from + 9; step < from + 50; step += 10) seldom.push_back({step, double(step), 1});
            VERIFY_OK((*writer)->append(std::vector<Batch>{{{"loss", -1}, points}, {{"memory_bytes", 0}, seldom}}, "", 0));
        }
        auto reader = Reader::open(scratch / "run.db");
        VERIFY_OK(reader);
        QCOMPARE((*reader)->points({"loss", -1})->size(), std::size_t{100});
        QCOMPARE((*reader)->points({"memory_bytes", 0})->size(), std::size_t{10});
        QCOMPARE(test::sql(scratch / "run.db", "SELECT count(*) FROM series"), std::string("2"));
    }
    void sameStepTwice() {
        test::Scratch scratch;
        auto writer = Writer::open(scratch / "run.db");
        VERIFY_OK(writer);
        VERIFY_OK((*writer)->append(std::vector<Batch>{{{"memory_bytes", 0}, {{1, 1, 10}, {2, 2, 99}, {2, 3, 20}, {3, 4, 5}}}}, "", 0));
        VERIFY_OK((*writer)->flush());
        auto reader = Reader::open(scratch / "run.db");
        VERIFY_OK(reader);
        QVERIFY((*(*reader)->points({"memory_bytes", 0}) == std::vector<Point>{{1, 1, 10}, {2, 3, 20}, {3, 4, 5}}));
        QCOMPARE((*reader)->buckets({"memory_bytes", 0}, 0, 9, 1)->front().max, 99.0);
    }
    void refusedPoints() {
        test::Scratch scratch;
        auto writer = Writer::open(scratch / "run.db");
        VERIFY_OK(writer);
        const auto add = [&](std::string name, std::uint64_t step) {
            return (*writer)->append(std::vector<Batch>{{{name, 0}, {{step, 0, 0}}}}, "a", 1);
        };
        VERIFY_ERROR(add(std::string(201, 'x'), 1), "F604");
        VERIFY_ERROR(add("", 1), "F604");
        VERIFY_ERROR(add("loss", ~std::uint64_t{0}), "F604");
        QCOMPARE(*(*writer)->spoolPosition("a"), std::uint64_t{0});
        VERIFY_OK(add("loss", 1));
    }
    void secondWriterIsRefused() {
        test::Scratch scratch;
        auto writer = Writer::open(scratch / "run.db");
        VERIFY_OK(writer);
        const auto second = Writer::open(scratch / "run.db");
        VERIFY_ERROR(second, "F610");
        QVERIFY(second.error().message.find("process " + std::to_string(::getpid()) + ".") != std::string::npos);
        QCOMPARE(test::inChild([&] {
                     writer->release();  // the child has only a copy of the parent's lock: it must not count as its own
                     const auto third = Writer::open(scratch / "run.db");
                     return !third.ok() && third.error().code == "F610" ? 0 : 1;
                 }),
                 0);
        writer->reset();
        VERIFY_OK(Writer::open(scratch / "run.db"));
    }
    void lockOfAKilledWriterIsFree() {
        test::Scratch scratch;
        QCOMPARE(test::inChild([&] {
                     auto writer = Writer::open(scratch / "run.db");
                     if (!writer.ok() || !(*writer)->setMeta("by", "killed").ok()) return 1;
                     ::raise(SIGKILL);
                     return 2;
                 }),
                 -1);
        QVERIFY(std::filesystem::exists(scratch / "run.db-wal"));
        {
            auto reader = Reader::open(scratch / "run.db");
            VERIFY_OK(reader);
            QCOMPARE(*(*reader)->meta("by"), std::string("killed"));
        }
        auto writer = Writer::open(scratch / "run.db");
        VERIFY_OK(writer);
        VERIFY_OK((*writer)->setMeta("by", "next"));
    }
};

LOCKSTEP_TEST(WriterTest)
#include "writer_test.moc"
