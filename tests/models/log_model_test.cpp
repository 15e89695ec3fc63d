#include <support/test.h>

#include <models/log_model.h>

#include <QAbstractItemModelTester>
#include <QElapsedTimer>
#include <QSignalSpy>

#include <random>

using namespace lockstep;
using namespace lockstep::models;

namespace {

std::vector<api::LogLine> randomLines(std::mt19937& random, int count, double from) {
    static constexpr const char* kWords[] = {"step", "loss", "nan", "checkpoint", "lost", "waiting", "é ü", "(x)"};
    static constexpr char kLetters[] = {'D', 'I', 'W', 'E'};
    std::vector<api::LogLine> lines;
    for (int i = 0; i < count; ++i) {
        const int rank = static_cast<int>(random() % 4) - 1;
        std::string text = "2026-03-01T12:00:00.250Z ";
        text += kLetters[random() % 4];
        text += rank < 0 ? " controller: " : " rank " + std::to_string(rank) + ": ";
        for (auto words = random() % 5; words > 0; --words) text += std::string(kWords[random() % 8]) + " ";
        // Not quite in order, as files are read one after the other.
        lines.push_back({from + i - static_cast<double>(random() % 3), rank, text});
    }
    return lines;
}

// What a person should see, found the slow way.
std::vector<qulonglong> wanted(const std::vector<api::LogLine>& lines, const LogFilter& filter) {
    std::vector<qulonglong> numbers;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const auto text = QString::fromStdString(lines[i].text);
        const auto level = QString("DIWE").indexOf(text[25]);
        const auto message = text.mid(text.indexOf(": ") + 2);
        if (level < static_cast<int>(filter.lowest)) continue;
        if (filter.rank && lines[i].rank != *filter.rank) continue;
        if (filter.pattern.isValid() && !filter.pattern.pattern().isEmpty() && !filter.pattern.match(message).hasMatch()) continue;
        numbers.push_back(i);
    }
    return numbers;
}

std::vector<qulonglong> shown(const LogModel& model) {
    std::vector<qulonglong> numbers;
    for (int row = 0; row < model.rowCount(); ++row) numbers.push_back(model.index(row).data(LogModel::NumberRole).toULongLong());
    return numbers;
}

api::LogLine line(double time, int rank, char level, const std::string& text) {
    return {time, rank, "2026-03-01T12:00:00.250Z " + std::string(1, level) + " rank " + std::to_string(rank) + ": " + text};
}

}  // namespace

class LogModelTest : public QObject {
    Q_OBJECT
private slots:
    void filterAgainstBruteForce() {
        std::mt19937 random(7);
        for (int round = 0; round < 30; ++round) {
            LogModel model;
            const QAbstractItemModelTester tester(&model);
            std::vector<api::LogLine> all;
            LogFilter filter;
            for (int action = 0; action < 25; ++action) {
                if (random() % 3 == 0) {
                    filter = {};
                    if (random() % 2) filter.rank = static_cast<int>(random() % 4) - 1;
                    filter.lowest = static_cast<LogLevel>(random() % 4);
                    static constexpr const char* kPatterns[] = {"", "loss", "^step", "nan|lost", "é", "(", "\\(x\\)", "checkpoint .*step"};
                    filter.pattern = QRegularExpression(kPatterns[random() % 8]);
                    model.setFilter(filter);
                } else {
                    const auto lines = randomLines(random, static_cast<int>(random() % 60), static_cast<double>(all.size()) + 10);
                    all.insert(all.end(), lines.begin(), lines.end());
                    model.append(lines);
                }
                if (random() % 4 == 0) QCoreApplication::processEvents();
            }
            model.finishFiltering();
            QVERIFY(!model.isFiltering());
            QCOMPARE(shown(model), wanted(all, filter));
            QCOMPARE(model.lineCount(), static_cast<std::uint64_t>(all.size()));
        }
    }
    // A line without a stamp has no time of its own; what belongs to an error is one block with it.
    void blocksAndUndatedLines() {
        LogModel model;
        model.append({line(10, 0, 'E', "R502: Rank 1 ended."),
                      {10, 0, "  cause: it was killed"},
                      {10, 0, "  next:  resume it"},
                      {10, 0, "Traceback (most recent call last):"},
                      {10, 0, "  File \"a.py\", line 1"},
                      {10, 0, "ValueError: bad"},
                      {10, 0, "ValueError: another"},
                      line(11, 0, 'I', "on")});
        const auto is = [&](int row, int role) { return model.index(row).data(role).toBool(); };
        const bool dated[] = {true, false, false, false, false, false, false, true};
        const bool goesOn[] = {false, true, true, false, true, true, false, false};
        for (int row = 0; row < 8; ++row) {
            QCOMPARE(is(row, LogModel::DatedRole), dated[row]);
            QCOMPARE(is(row, LogModel::GoesOnRole), goesOn[row]);
            QCOMPARE(model.index(row).data(LogModel::LevelRole).toInt(), static_cast<int>(row == 7 ? LogLevel::Info : LogLevel::Error));
        }
        QCOMPARE(model.sources().at(0).errors, std::uint64_t{3});
    }
    void filtersBetweenEvents() {
        LogModel model;
        std::mt19937 random(3);
        std::vector<api::LogLine> all;
        for (int i = 0; i < 8; ++i) {
            const auto lines = randomLines(random, 25'000, i * 25'000.0 + 10);
            all.insert(all.end(), lines.begin(), lines.end());
            model.append(lines);
        }
        LogFilter filter;
        filter.pattern = QRegularExpression("loss.*loss");
        QSignalSpy filtering(&model, &LogModel::filteringChanged);
        model.setFilter(filter);
        const auto more = randomLines(random, 100, 300'000);  // while it goes on
        all.insert(all.end(), more.begin(), more.end());
        model.append(more);
        QTRY_VERIFY_WITH_TIMEOUT(!model.isFiltering(), 20'000);
        QCOMPARE(shown(model), wanted(all, filter));
        QCOMPARE(filtering.count() % 2, 0);
    }
    void memoryIsBounded() {
        LogModel model(LogModel::Limits{1u << 20, 50'000}, nullptr);
        const QAbstractItemModelTester tester(&model);
        LogFilter filter;
        filter.lowest = LogLevel::Error;
        std::mt19937 random(5);
        for (int i = 0; i < 12; ++i) {
            if (i == 6) model.setFilter(filter);
            model.append(randomLines(random, 10'000, i * 10'000.0 + 10));
        }
        model.finishFiltering();
        QVERIFY(model.droppedCount() > 0);
        QCOMPARE(model.lineCount() + model.droppedCount(), std::uint64_t{120'000});
        QVERIFY(model.lineCount() <= 70'000);
        const auto numbers = shown(model);
        QVERIFY(!numbers.empty() && numbers.front() >= model.droppedCount());
        for (int row = 0; row < model.rowCount(); ++row) QCOMPARE(model.index(row).data(LogModel::LevelRole).toInt(), 3);
        std::uint64_t ever = 0;
        for (const auto& [rank, source] : model.sources()) ever += source.lines;
        QCOMPARE(ever, std::uint64_t{120'000});
    }
    void nextErrorGoesRound() {
        LogModel model;
        QVERIFY(!model.nextError(-1));
        model.append({line(1, 0, 'I', "a"), line(2, 0, 'E', "b"), line(3, 1, 'W', "c"), line(4, 1, 'E', "d")});
        QCOMPARE(model.nextError(-1).value_or(-1), 1);
        QCOMPARE(model.nextError(1).value_or(-1), 3);
        QCOMPARE(model.nextError(3).value_or(-1), 1);
        QCOMPARE(model.previousError(1).value_or(-1), 3);
        QCOMPARE(model.previousError(-1).value_or(-1), 3);
        LogFilter filter;
        filter.rank = 1;
        model.setFilter(filter);
        QCOMPARE(model.nextError(-1).value_or(-1), 1);
        filter.pattern = QRegularExpression("c");
        model.setFilter(filter);
        QVERIFY(!model.nextError(-1));
    }
    void anIndentedLineGoesOn() {
        LogModel model;
        model.append({line(1, 0, 'E', "a"), {2, 1, "  of rank 1"}, {3, 0, "  more of a"}, line(4, 0, 'I', "b"), {5, 0, "  more of b"}});
        const auto level = [&](int row) { return model.index(row).data(LogModel::LevelRole).toInt(); };
        QCOMPARE(level(1), 1);
        QCOMPARE(level(2), 3);
        QCOMPARE(level(4), 1);
        QVERIFY(model.index(2).data(LogModel::GoesOnRole).toBool() && !model.index(0).data(LogModel::GoesOnRole).toBool());
        QCOMPARE(model.nextError(0).value_or(-1), 0);
        QCOMPARE(model.sources().at(0).errors, std::uint64_t{1});
        LogFilter filter;
        filter.lowest = LogLevel::Error;
        model.setFilter(filter);
        QCOMPARE(model.rowCount(), 2);
    }
    void findsTheTime() {
        LogModel model;
        QVERIFY(!model.rowAt(std::nullopt, 5));
        model.append({line(10, 0, 'I', "a"), line(20, 1, 'I', "b"), line(19, 0, 'I', "c"), line(30, 1, 'I', "d"), line(40, 0, 'I', "e")});
        QCOMPARE(model.rowAt(std::nullopt, 5).value_or(-1), 0);
        QCOMPARE(model.rowAt(std::nullopt, 10).value_or(-1), 0);
        QCOMPARE(model.rowAt(std::nullopt, 25).value_or(-1), 2);
        QCOMPARE(model.rowAt(std::nullopt, 99).value_or(-1), 4);
        QCOMPARE(model.rowAt(1, 25).value_or(-1), 1);
        QCOMPARE(model.rowAt(1, 5).value_or(-1), 1);
        QCOMPARE(model.rowAt(7, 25).value_or(-1), 2);
        QCOMPARE(model.index(2).data(LogModel::TimeRole).toDouble(), 19.0);
        QCOMPARE(model.rowOfNumber(3).value_or(-1), 3);
    }
    void copiesWithContext() {
        LogModel model;
        model.append({line(1, 0, 'I', "a"), line(2, 0, 'E', "b"), line(3, api::kController, 'W', "c"), line(4, 1, 'E', "d")});
        LogFilter filter;
        filter.lowest = LogLevel::Error;
        model.setFilter(filter);
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.textOf(0, 0, 0), QString("rank 0 | 2026-03-01T12:00:00.250Z E rank 0: b\n"));
        const auto around = model.textOf(0, 0, 1);
        QCOMPARE(around.count('\n'), 3);
        QVERIFY(around.contains(": a\n") && around.contains("controller | ") && !around.contains(": d\n"));
        QCOMPARE(model.textOf(0, 1, 0).count('\n'), 2);
        QVERIFY(model.textOf(1, 5, 0).isEmpty() && model.textOf(-1, 0, 0).isEmpty());
    }
    void clearKeepsTheFilter() {
        LogModel model;
        const QAbstractItemModelTester tester(&model);
        LogFilter filter;
        filter.lowest = LogLevel::Error;
        model.setFilter(filter);
        model.append({line(1, 0, 'I', "a"), line(2, 0, 'E', "b")});
        QCOMPARE(model.rowCount(), 1);
        model.clear();
        QCOMPARE(model.rowCount(), 0);
        QVERIFY(model.sources().empty() && !model.isFiltering());
        model.append({line(1, 0, 'I', "a"), line(2, 0, 'E', "b")});
        QCOMPARE(model.rowCount(), 1);
        QCOMPARE(model.index(0).data().toString(), QString("b"));
    }
    void follows() {
        LogModel model;
        QSignalSpy changed(&model, &LogModel::followingChanged);
        QVERIFY(model.isFollowing());
        model.setFollowing(true);
        model.setFollowing(false);
        QCOMPARE(changed.count(), 1);
        QVERIFY(!model.property("following").toBool());
    }
    void aMillionLines() {
        LogModel model;
        std::mt19937 random(1);
        std::vector<std::vector<api::LogLine>> portions;
        for (int i = 0; i < 50; ++i) portions.push_back(randomLines(random, 20'000, i * 20'000.0 + 10));
        QElapsedTimer clock;
        clock.start();
        qint64 longest = 0;
        for (const auto& portion : portions) {
            const auto before = clock.nsecsElapsed();
            model.append(portion);
            longest = std::max(longest, clock.nsecsElapsed() - before);
        }
        const auto appended = clock.restart();
        QCOMPARE(model.rowCount(), 1'000'000);
        LogFilter filter;
        filter.pattern = QRegularExpression("nan.*lost");
        model.setFilter(filter);
        model.finishFiltering();
        const auto filtered = clock.restart();
        for (int row = 0; row < 100; ++row) (void)model.rowAt(1, row * 10'000.0);
        const auto found = clock.nsecsElapsed() / 100;
        qInfo("10^6 lines: appended in %lld ms (longest portion of 20000: %.1f ms), filtered in %lld ms, a time found in %.1f us", appended,
              static_cast<double>(longest) / 1e6, filtered, static_cast<double>(found) / 1e3);
        QVERIFY(model.rowCount() > 0 && model.rowCount() < 1'000'000);
    }
};

LOCKSTEP_TEST(LogModelTest)
#include "log_model_test.moc"
