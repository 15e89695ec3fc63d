#include <support/test.h>

#include <models/event_words.h>
#include <models/events_model.h>
#include <models/ranks_model.h>
#include <models/runs_model.h>
#include <models/values_model.h>

#include <QAbstractItemModelTester>
#include <QSignalSpy>

#include <limits>
#include <map>
#include <random>

using namespace lockstep;
using namespace lockstep::models;

namespace {

RunsModel::Row row(int number, double loss) {
    RunsModel::Row value;
    value.summary.run = RunId{QStringLiteral("20260101-000000-%1").arg(number, 4, 16, QLatin1Char('0')).toStdString()};
    value.summary.name = "run " + std::to_string(number);
    value.summary.state = api::RunState::Running;
    value.summary.started = 1000 + number;
    value.summary.loss = loss;
    return value;
}

}  // namespace

class TablesTest : public QObject {
    Q_OBJECT
private slots:
    void runsAgainstAMap() {
        std::mt19937 random(11);
        RunsModel model;
        const QAbstractItemModelTester tester(&model);
        std::map<RunId, RunsModel::Row, std::greater<>> all;
        for (int round = 0; round < 200; ++round) {
            std::vector<RunsModel::Row> changed;
            std::vector<RunId> removed;
            for (auto i = random() % 12; i > 0; --i) {
                const auto value = row(static_cast<int>(random() % 40), static_cast<double>(random() % 100));
                if (random() % 4 == 0) {
                    removed.push_back(value.summary.run);
                } else {
                    std::erase_if(changed, [&](const auto& other) { return other.summary.run == value.summary.run; });
                    changed.push_back(value);
                }
            }
            for (const auto& run : removed) all.erase(run);
            for (const auto& value : changed) all[value.summary.run] = value;
            model.apply(changed, removed);
            QCOMPARE(model.rowCount(), static_cast<int>(all.size()));
            int place = 0;
            for (const auto& [run, value] : all) {
                QCOMPARE(model.rowOf(run).value_or(-1), place);
                QVERIFY(model.rows()[static_cast<std::size_t>(place++)] == value);
            }
        }
    }
    void runsTellRanges() {
        RunsModel model;
        QSignalSpy inserted(&model, &RunsModel::rowsInserted), changed(&model, &RunsModel::dataChanged);
        std::vector<RunsModel::Row> rows;
        for (int i = 0; i < 100; ++i) rows.push_back(row(i, 1));
        model.apply(rows, {});
        QCOMPARE(inserted.count(), 1);
        for (int i = 20; i < 30; ++i) rows[static_cast<std::size_t>(i)].summary.loss = 2;
        model.apply(rows, {});
        QCOMPARE(changed.count(), 1);
        QCOMPARE(changed[0][0].toModelIndex().row(), 70);
        QCOMPARE(changed[0][1].toModelIndex().row(), 79);
    }
    void runsAsText() {
        RunsModel model;
        auto value = row(1, 0.25);
        value.summary.step = 12'400;
        value.summary.steps = 20'000;
        value.summary.accuracy = 0.9731;
        value.sparkline = {3, 2, 1};
        model.apply({value}, {});
        const auto text = [&](int column) { return model.index(0, column).data().toString(); };
        QCOMPARE(text(RunsModel::State), QString("Running"));
        QCOMPARE(text(RunsModel::Progress), QString("12\u202F400 of 20\u202F000"));
        QCOMPARE(text(RunsModel::Loss), QString("0.250"));
        QCOMPARE(text(RunsModel::Accuracy), QString("97.31\u202F%"));
        QCOMPARE(text(RunsModel::Duration), QString());
        model.setNow(1001 + 551);
        QCOMPARE(text(RunsModel::Duration), QString("9:11"));
        QCOMPARE(model.index(0, RunsModel::Loss).data(RunsModel::RawRole).toDouble(), 0.25);
        QCOMPARE(model.index(0, 0).data(RunsModel::StateRole).toString(), QString("running"));
        QCOMPARE(model.index(0, 0).data(RunsModel::SparklineRole).value<QList<double>>().size(), 3);
        value.summary.problem = makeError("F632", {{"folder", "x"}});
        model.apply({value}, {});
        QCOMPARE(text(RunsModel::State), QString("Unreadable"));
        QCOMPARE(model.index(0, 0).data(RunsModel::ProblemCodeRole).toString(), QString("F632"));
        QVERIFY(model.index(0, 0).data(Qt::ToolTipRole).toString().contains("F632"));
        value.summary.problem.reset();
        value.summary.state = api::RunState::Lost;
        model.apply({value}, {});
        QCOMPARE(text(RunsModel::Duration), QString());
    }
    void everyStateHasAWord() {
        QSet<QString> words;
        for (int state = 0; state <= static_cast<int>(api::RunState::Lost); ++state)
            words.insert(stateText(static_cast<api::RunState>(state)));
        QCOMPARE(words.size(), static_cast<int>(api::RunState::Lost) + 1);
        QVERIFY(!words.contains(QString()));
    }
    // The window and the command line call a run by the same word.
    void wordsAreThoseOfTheCommandLine() {
        api::RunSummary run;
        const auto same = [&] { return stateText(run).toLower().replace(' ', '_') == QString::fromUtf8(api::nameOf(run).data()); };
        for (int state = 0; state <= static_cast<int>(api::RunState::Lost); ++state) {
            run.state = static_cast<api::RunState>(state);
            QVERIFY2(same(), qPrintable(stateText(run)));
        }
        run.problem = makeError("F609");
        QCOMPARE(stateText(run), QString("Unreadable"));
        QVERIFY(same());
    }
    void eventsNewestFirst() {
        EventsModel model;
        const QAbstractItemModelTester tester(&model);
        model.append({{10, "phase", -1, 0, "spawned"}, {11, "checkpoint", 0, 40, "checkpoint at step 40"}});
        model.append({{12, "odd kind", 1, 50, "x"}});
        QCOMPARE(model.rowCount(), 3);
        QCOMPARE(model.index(0, EventsModel::Kind).data().toString(), QString("odd kind"));
        QCOMPARE(model.index(1, EventsModel::Kind).data().toString(), QString("Checkpoint"));
        QCOMPARE(model.index(2, EventsModel::Rank).data().toString(), QString());
        QCOMPARE(model.index(1, EventsModel::Step).data(EventsModel::StepRole).toULongLong(), qulonglong{40});
        QCOMPARE(model.event(0).time, 12.0);
        model.clear();
        QCOMPARE(model.rowCount(), 0);
    }
    // States stand among the events by their time, and come again whole whenever one is new.
    void statesAreEventsToo() {
        EventsModel model;
        const QAbstractItemModelTester tester(&model);
        using State = api::RunState;
        auto events = eventsOf({{10, State::Staging, "started", "user"},
                                {11, State::Running, "", "controller"},
                                {20, State::Failed, "Rank 1 ended.", "controller"},
                                {30, State::Staging, "resumed", "user"}});
        QCOMPARE(events.size(), std::size_t{3});
        model.append({{15, "checkpoint", 0, 40, "Checkpoint 1 at step 40"}, {19, "error", 1, 60, "Rank 1 ended.", R"({"code":"R502"})"}});
        model.setStates(events);
        model.append({{31, "exit", 1, 80, "Rank 1 has ended at step 80"}});
        QStringList words;
        for (int row = 0; row < model.rowCount(); ++row) words << model.index(row, EventsModel::Text).data().toString();
        QCOMPARE(words, (QStringList{"Rank 1 has ended", "Resumed", "Failed", "Rank 1 failed (R502)", "Checkpoint", "Started"}));
        events[2].step = 41;
        model.setStates(events);
        QCOMPARE(model.rowCount(), 6);
        QCOMPARE(model.index(1, EventsModel::Step).data().toString(), QString("41"));
        QVERIFY(model.index(3, EventsModel::Text).data(Qt::ToolTipRole).toString().contains("Rank 1 ended."));
    }
    void sentencesOfEvents() {
        const auto said = [](const char* kind, int rank, const char* text, const char* detail = "") {
            return eventSentence({1, kind, rank, 7, text, detail});
        };
        QCOMPARE(said("command", -1, "stop"), QString("Stop asked"));
        QCOMPARE(said("command", -1, "kill"), QString("End at once asked"));
        QCOMPARE(said("command", -1, "checkpoint asked by cli"), QString("Checkpoint asked"));
        QCOMPARE(said("exit", 2, "Rank 2 ended with signal 9 at step 7"), QString("Rank 2 ended with signal 9"));
        QCOMPARE(said("warning", 2, "Rank 2 goes on"), QString("Rank 2 goes on"));
        QCOMPARE(said("warning", 0, "No checkpoint yet.", R"({"code":"C704"})"), QString("Warning C704: No checkpoint yet."));
        QCOMPARE(said("error", -1, "The agent is gone.", R"({"code":"H110"})"), QString("The run failed (H110)"));
        QCOMPARE(said("error", -1, "The agent is gone."), QString("The agent is gone."));
        QCOMPARE(said("phase", 0, "rank 0: evaluation"), QString("Rank 0: evaluation"));
        QCOMPARE(said("odd", 0, "what a newer one says"), QString("what a newer one says"));
        QCOMPARE(causeText("stopped by cli"), QString("stopped by cli"));
        QCOMPARE(causeText("anything"), QString("anything"));
    }
    void valuesAtCursors() {
        ValuesModel model;
        const QAbstractItemModelTester tester(&model);
        model.setRows({{{"loss", -1}, "Loss", 0.5, 0.25}, {{"accuracy", -1}, "Accuracy", std::nullopt, 0.9}});
        QCOMPARE(model.index(0, ValuesModel::Difference).data().toString(), QString("−0.250"));
        QCOMPARE(model.index(1, ValuesModel::Difference).data().toString(), QString("–"));
        QVERIFY(!model.index(1, ValuesModel::A).data(ValuesModel::RawRole).isValid());
        QSignalSpy changed(&model, &ValuesModel::dataChanged), reset(&model, &ValuesModel::modelReset);
        model.setRows({{{"loss", -1}, "Loss", 0.5, 0.25}, {{"accuracy", -1}, "Accuracy", 0.8, 0.9}});
        QCOMPARE(changed.count(), 1);
        QCOMPARE(changed[0][0].toModelIndex().row(), 1);
        QCOMPARE(model.index(1, ValuesModel::Difference).data().toString(), QString("+0.100"));
        model.setRows({{{"loss", -1}, "Loss", 0.5, 0.25}});
        QCOMPARE(reset.count(), 1);
        // As many decimals as the coarser of the two; headings have a name only and can't be chosen.
        model.setRows({{{"step", -1}, "Step", 1, 1703, -1, false, true},
                       {{"loss", -1}, "Loss", 2.3, 0.0571, 0},
                       {{"compute_seconds", -1}, "Compute time, ms", {}, {}, -1, true}});
        QCOMPARE(model.index(0, ValuesModel::A).data().toString(), QString("1"));
        QCOMPARE(model.index(0, ValuesModel::Difference).data().toString(), QString("+1\u202F702"));
        QCOMPARE(model.index(1, ValuesModel::Difference).data().toString(), QString("−2.24"));
        QCOMPARE(model.index(1, 0).data(ValuesModel::ColorRole).toInt(), 0);
        QVERIFY(model.index(2, 0).data(ValuesModel::HeadingRole).toBool());
        QVERIFY(!model.flags(model.index(2, 0)).testFlag(Qt::ItemIsSelectable));
        QCOMPARE(model.index(2, ValuesModel::A).data().toString(), QString());
    }
    void ranksAgainstTheMedian() {
        RanksModel model;
        const QAbstractItemModelTester tester(&model);
        std::vector<api::RankStatus> ranks;
        for (int i = 0; i < 4; ++i) ranks.push_back({i, "here", "cpu:" + std::to_string(i), 100 + i, "running", 10});
        model.setRanks(ranks);
        QVERIFY(!model.medianStepSeconds());
        model.setStepSeconds({{0, 0.010}, {1, 0.012}, {2, 0.010}, {3, 0.020}});
        QCOMPARE(model.medianStepSeconds().value_or(0), 0.011);
        QVERIFY(model.index(3, 0).data(RanksModel::LateRole).toBool());
        QVERIFY(!model.index(1, 0).data(RanksModel::LateRole).toBool());
        QCOMPARE(model.index(3, RanksModel::StepTime).data().toString(), QString("20.0\u202Fms"));
        QCOMPARE(model.index(3, RanksModel::AgainstMedian).data().toString(), QString("1.82×"));
        QSignalSpy changed(&model, &RanksModel::dataChanged), reset(&model, &RanksModel::modelReset);
        ranks[1].step = 11;
        model.setRanks(ranks);
        QCOMPARE(changed.count(), 1);
        QCOMPARE(reset.count(), 0);
        ranks.pop_back();
        model.setRanks(ranks);
        QCOMPARE(reset.count(), 1);
        QCOMPARE(model.medianStepSeconds().value_or(0), 0.010);
    }
};

LOCKSTEP_TEST(TablesTest)
#include "tables_test.moc"
