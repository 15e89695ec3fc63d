// Texts of numbers and ticks.
#include <charts/number_text.h>
#include <support/test.h>

#include "look.h"

#include <cmath>
#include <limits>

using namespace lockstep::charts;

class NumberTextTest : public QObject {
    Q_OBJECT
private slots:
    void values_data() {
        QTest::addColumn<double>("value");
        QTest::addColumn<QString>("text");
        const auto row = [](double value, const char* text) { QTest::addRow("%s", text) << value << QString::fromUtf8(text); };
        row(0, "0");
        row(0.2531, "0.253");
        row(72.44, "72.4");
        row(7061, "7.06k");
        row(999.7, "1.00k");
        row(1.2e6, "1.20M");
        row(-0.078, "−0.078");
        row(0.00003, "3e−5");
        row(412, "412");
        row(std::numeric_limits<double>::quiet_NaN(), "NaN");
        row(-std::numeric_limits<double>::infinity(), "−∞");
    }
    void values() {
        QFETCH(double, value);
        QFETCH(QString, text);
        QCOMPARE(valueText(value), text);
    }

    void groupsAndTimes() {
        const QString gap(QChar(0x202F));
        QCOMPARE(groupedText(12400), "12" + gap + "400");
        QCOMPARE(groupedText(-1234567), QString::fromUtf8("−1") + gap + "234" + gap + "567");
        QCOMPARE(groupedText(-100), QString::fromUtf8("−100"));
        QCOMPARE(elapsedText(504), QString("8:24"));
        QCOMPARE(elapsedText(3723), QString("1:02:03"));
        QCOMPARE(elapsedText(0.42), QString("0.42 s"));
    }

    void linearTicksAreAt125() {
        const Ticks ticks = linearTicks({980, 1820}, 5);
        QCOMPARE(ticks.text, (std::vector<QString>{"1.0k", "1.2k", "1.4k", "1.6k", "1.8k"}));
        QCOMPARE(linearTicks({0, 0.5}, 3).text, (std::vector<QString>{"0", "0.2", "0.4"}));
        QCOMPARE(linearTicks({0, 12400}, 8).text.back(), QString("12k"));
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

    void logAndTimeTicks() {
        QCOMPARE(logTicks({0.18, 2.4}, 5).text, (std::vector<QString>{"0.2", "0.5", "1", "2"}));
        QCOMPARE(logTicks({1e-3, 1e3}, 7).text.size(), std::size_t(7));
        QCOMPARE(logTicks({100, 110}, 5).at.size() > 1, true);
        QVERIFY(logTicks({0, 5}, 5).at.empty());
        QCOMPARE(timeTicks({0, 600}, 6, XAxis::Elapsed).text, (std::vector<QString>{"0", "2:00", "4:00", "6:00", "8:00", "10:00"}));
    }
};

LOCKSTEP_TEST(NumberTextTest)
#include "number_text_test.moc"
