// Ticks and places on axes.
#include <charts/ticks.h>
#include <support/test.h>

#include "look.h"

#include <QDateTime>

#include <cmath>

using namespace lockstep::charts;

class TicksTest : public QObject {
    Q_OBJECT
private slots:
    void placesInWords() {
        const QString gap(QChar(0x202F));
        QCOMPARE(axisText(12400, XAxis::Step), "12" + gap + "400");
        QCOMPARE(axisText(504, XAxis::Elapsed), QString("8:24"));
        QCOMPARE(elapsedText(3723), QString("1:02:03"));
        QCOMPARE(elapsedText(0.42), QString("0.42 s"));
        QCOMPARE(elapsedText(-90), QString::fromUtf8("−1:30"));
        const QDateTime noon(QDate(2026, 5, 14), QTime(12, 0, 9));
        QCOMPARE(axisText(static_cast<double>(noon.toSecsSinceEpoch()), XAxis::WallTime), QString("12:00:09"));
    }

    void linearTicksAreAt125() {
        const Ticks ticks = linearTicks({980, 1820}, 5);
        QCOMPARE(ticks.text, (std::vector<QString>{"1.0k", "1.2k", "1.4k", "1.6k", "1.8k"}));
        QCOMPARE(linearTicks({0, 0.5}, 3).text, (std::vector<QString>{"0", "0.2", "0.4"}));
        QCOMPARE(linearTicks({0, 12400}, 8).text.back(), QString("12k"));
    }

    // One axis, one way of writing.
    void smallValuesAreWrittenAlike() {
        QCOMPARE(linearTicks({0.00088, 0.00102}, 5).text, (std::vector<QString>{"0.00090", "0.00095", "0.00100"}));
        for (const auto& text : linearTicks({1e-8, 5e-8}, 5).text) QVERIFY2(text.contains(QStringLiteral("×10⁻⁸")), qPrintable(text));
        QCOMPARE(logTicks({1e-7, 1e-3}, 5).text, (std::vector<QString>{"1×10⁻⁷", "1×10⁻⁶", "1×10⁻⁵", "0.0001", "0.001"}));
    }

    void stepsAreWhole() {
        QCOMPARE(stepTicks({0, 2}, 10).text, (std::vector<QString>{"0", "1", "2"}));
        QCOMPARE(stepTicks({0, 12400}, 8).text.back(), QString("12k"));
        QCOMPARE(stepTicks({7, 11}, 3).text, (std::vector<QString>{"8", "10"}));
    }

    // Whatever the range: no more than allowed, inside, evenly spaced at 1, 2 or 5 times a power of ten, all texts different.
    void ticksHoldForAnyRange() {
        lockstep::charts::test::Noise noise(3);
        for (int i = 0; i < 3000; ++i) {
            const double scale = std::pow(10, 12 * noise.uniform() - 6);
            const double from = scale * noise.normal();
            const Range range{from, from + scale * (0.01 + noise.uniform())};
            const int most = 2 + static_cast<int>(noise.below(6));
            const Ticks ticks = linearTicks(range, most);
            QVERIFY(int(ticks.at.size()) <= most && ticks.at.size() == ticks.text.size());
            for (std::size_t k = 0; k < ticks.at.size(); ++k) {
                QVERIFY(ticks.at[k] >= range.from - range.size() * 1e-6 && ticks.at[k] <= range.to + range.size() * 1e-6);
                if (k == 0) continue;
                const double step = ticks.at[k] - ticks.at[k - 1];
                const double lead = step / std::pow(10, std::floor(std::log10(step * 1.0001)));
                QVERIFY(std::abs(lead - 1) < 0.01 || std::abs(lead - 2) < 0.01 || std::abs(lead - 5) < 0.01);
                QVERIFY2(ticks.text[k] != ticks.text[k - 1], qPrintable(ticks.text[k]));
            }
        }
    }

    void ticksAreRoundInTheirUnit() {
        const auto texts = [](const Range& range, Scale scale, ValueFormat format) {
            auto written = valueTicks(range, scale, 5, format).text;
            for (QString& text : written) text.replace(QChar(0x202F), ' ');
            return written;
        };
        const double mib = 1024 * 1024;
        QCOMPARE(texts({0, 110 * mib}, Scale::Linear, ValueFormat::Bytes), (std::vector<QString>{"0", "50 MiB", "100 MiB"}));
        QCOMPARE(texts({0, 1.9 * 1024 * mib}, Scale::Linear, ValueFormat::Bytes),
                 (std::vector<QString>{"0", "0.5 GiB", "1.0 GiB", "1.5 GiB"}));
        QCOMPARE(texts({0.36, 0.44}, Scale::Linear, ValueFormat::Percent), (std::vector<QString>{"36 %", "38 %", "40 %", "42 %", "44 %"}));
        QCOMPARE(texts({0, 0.1}, Scale::Linear, ValueFormat::Seconds), (std::vector<QString>{"0", "50 ms", "100 ms"}));
        QCOMPARE(texts({mib, 8 * mib}, Scale::Log, ValueFormat::Bytes), (std::vector<QString>{"1 MiB", "2 MiB", "5 MiB"}));
        QCOMPARE(valueTicks({0, 110 * mib}, Scale::Linear, 5, ValueFormat::Bytes).at[1], 50 * mib);
        QCOMPARE(texts({0, 7100}, Scale::Linear, ValueFormat::Number), (std::vector<QString>{"0", "2k", "4k", "6k"}));
        QCOMPARE(valueText(0.374, ValueFormat::Percent), QString("37") + QChar(0x202F) + "%");
        QCOMPARE(valueText(0.0724, ValueFormat::Seconds), QString("72.4") + QChar(0x202F) + "ms");
        QCOMPARE(valueText(7061, ValueFormat::Number), QString("7.06k"));
    }

    void logAndTimeTicks() {
        QCOMPARE(logTicks({0.18, 2.4}, 5).text, (std::vector<QString>{"0.2", "0.5", "1", "2"}));
        QCOMPARE(logTicks({1e-3, 1e3}, 7).text.size(), std::size_t(7));
        QCOMPARE(logTicks({100, 110}, 5).at.size() > 1, true);
        QVERIFY(logTicks({0, 5}, 5).at.empty());
        QCOMPARE(timeTicks({0, 600}, 6, XAxis::Elapsed).text, (std::vector<QString>{"0", "2:00", "4:00", "6:00", "8:00", "10:00"}));
        const auto now = timeTicks({1796116216.3, 1796116217.1}, 6, XAxis::WallTime);
        QVERIFY(now.at.size() >= 2 && now.at.size() <= 6);
        for (std::size_t i = 0; i < now.at.size(); ++i) {
            QVERIFY(now.at[i] >= 1796116216.3 && now.at[i] <= 1796116217.1);
            QVERIFY2(QTime::fromString(now.text[i], "HH:mm:ss.zzz").isValid(), qPrintable(now.text[i]));
        }
    }
};

LOCKSTEP_TEST(TicksTest)
#include "ticks_test.moc"
