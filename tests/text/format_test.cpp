#include <support/test.h>
#include <text/format.h>

#include <QDateTime>
#include <QLocale>

#include <cmath>
#include <limits>
#include <random>

using namespace lockstep::text;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

// Spaces in the expectations below are the thin ones.
QString thin(const char* text) { return QString::fromUtf8(text).replace(' ', QChar(kThinGroup)); }

double secondsOf(const QDateTime& moment) { return static_cast<double>(moment.toMSecsSinceEpoch()) / 1000; }

}  // namespace

class FormatTest : public QObject {
    Q_OBJECT
private slots:
    void init() { QLocale::setDefault(QLocale::c()); }
    void integers();
    void figures_data();
    void figures();
    void figuresKeepTheirDigits();
    void signs();
    void significant();
    void compact();
    void bytes();
    void spans();
    void moments();
    void otherLocales();
};

void FormatTest::integers() {
    QCOMPARE(formatInteger(0), QStringLiteral("0"));
    QCOMPARE(formatInteger(999), QStringLiteral("999"));
    QCOMPARE(formatInteger(-100), QStringLiteral("−100"));
    QCOMPARE(formatInteger(12400), thin("12 400"));
    QCOMPARE(formatInteger(-1234567), thin("−1 234 567"));
    QCOMPARE(formatInteger(std::numeric_limits<std::int64_t>::min()), thin("−9 223 372 036 854 775 808"));
    QCOMPARE(formatCount(12400, 20000), thin("12 400") + " of " + thin("20 000"));
    QCOMPARE(formatCount(7, 0), QStringLiteral("7"));
}

void FormatTest::figures_data() {
    QTest::addColumn<double>("value");
    QTest::addColumn<QString>("text");
    const auto row = [](double value, const char* text) { QTest::addRow("%s", text) << value << thin(text); };
    row(0.253, "0.253");
    row(0.25, "0.250");
    row(0.9999, "1.00");
    row(0.0571, "0.0571");
    row(0.05, "0.050");
    row(-0.0785, "−0.0785");
    row(0.001, "0.001");
    row(0.00125, "0.00125");
    row(72.41, "72.4");
    row(99.96, "100");
    row(412, "412");
    row(1204.4, "1 204");
    row(-1234567.8, "−1 234 568");
    row(0, "0");
    row(3.1e-5, "3.1×10⁻⁵");
    row(9.5e-4, "0.00095");
    row(1e-4, "0.0001");
    row(3e-5, "3×10⁻⁵");
    row(-1.2344e-7, "−1.23×10⁻⁷");
    row(2.5e11, "2.5×10¹¹");
    row(kNan, "NaN");
    row(kInf, "∞");
    row(-kInf, "−∞");
}

void FormatTest::figures() {
    QFETCH(double, value);
    QFETCH(QString, text);
    QCOMPARE(formatFigure(value), text);
    QCOMPARE(formatFigure(std::optional(value)), text);
    QCOMPARE(formatFigure(std::optional<double>()), QStringLiteral("–"));
}

// Whatever is written can be read back and differs from the value by no more than half of its last digit.
void FormatTest::figuresKeepTheirDigits() {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> exponent(-9, 12), sign(-1, 1);
    for (int i = 0; i < 5000; ++i) {
        const double value = std::pow(10.0, exponent(random)) * (sign(random) < 0 ? -1 : 1);
        for (const int digits : {2, 3, 4, 6}) {
            QString text = formatFigure(value, digits);
            text.remove(QChar(kThinGroup)).replace(QChar(kMinus), u'-').replace(QStringLiteral("×10"), QStringLiteral("e"));
            const QString powers = QStringLiteral("⁰¹²³⁴⁵⁶⁷⁸⁹");
            for (QChar& letter : text)
                letter = powers.contains(letter) ? QChar(static_cast<char16_t>(u'0' + powers.indexOf(letter)))
                         : letter == u'⁻'        ? QChar(u'-')
                                                 : letter;
            bool ok = false;
            const double back = text.toDouble(&ok);
            QVERIFY2(ok && std::abs(back - value) <= 0.5000001 * std::pow(10.0, 1 - digits) * std::abs(value), qPrintable(text));
        }
    }
}

void FormatTest::signs() {
    QCOMPARE(formatFixed(-0.078, 3), QStringLiteral("−0.078"));
    QCOMPARE(formatFixed(-0.0001, 2), QStringLiteral("0.00"));
    QCOMPARE(formatFixed(kNan, 2), QStringLiteral("NaN"));
    QCOMPARE(formatSigned(0.5, 1), QStringLiteral("+0.5"));
    QCOMPARE(formatSigned(-0.078, 3), QStringLiteral("−0.078"));
    QCOMPARE(formatSigned(0.0, 1), QStringLiteral("0.0"));
    QCOMPARE(formatSigned(-0.001, 1), QStringLiteral("0.0"));
    QCOMPARE(formatSigned(0.001, 1), QStringLiteral("0.0"));
    QCOMPARE(formatDifference(0.012), QStringLiteral("+0.012"));
    QCOMPARE(formatDifference(-1.5), QStringLiteral("−1.50"));
    QCOMPARE(formatDifference(3200), thin("+3 200"));
    QCOMPARE(formatDifference(0), QStringLiteral("0"));
    QCOMPARE(formatDifference(kInf), QStringLiteral("+∞"));
    QCOMPARE(formatPercent(0.59), thin("59 %"));
    QCOMPARE(formatPercent(0.97314, 2), thin("97.31 %"));
    QCOMPARE(formatPercent(kNan), QStringLiteral("NaN"));
    QCOMPARE(formatMultiple(1.652), QStringLiteral("1.65×"));
}

void FormatTest::significant() {
    QCOMPARE(formatSignificant(0.00105, 3), QStringLiteral("0.00105"));
    QCOMPARE(formatSignificant(0.001, 3), QStringLiteral("0.001"));
    QCOMPARE(formatSignificant(2.5e-6, 2), QStringLiteral("2.5×10⁻⁶"));
    QCOMPARE(formatSignificant(120, 2), QStringLiteral("120"));
    QCOMPARE(formatSignificant(0, 4), QStringLiteral("0"));
}

void FormatTest::compact() {
    QCOMPARE(formatCompact(0), QStringLiteral("0"));
    QCOMPARE(formatCompact(0.2531), QStringLiteral("0.253"));
    QCOMPARE(formatCompact(72.44), QStringLiteral("72.4"));
    QCOMPARE(formatCompact(412), QStringLiteral("412"));
    QCOMPARE(formatCompact(999.7), QStringLiteral("1.00k"));
    QCOMPARE(formatCompact(7061), QStringLiteral("7.06k"));
    QCOMPARE(formatCompact(-12400), QStringLiteral("−12.4k"));
    QCOMPARE(formatCompact(999'960), QStringLiteral("1.00M"));
    QCOMPARE(formatCompact(1.2e6), QStringLiteral("1.20M"));
    QCOMPARE(formatCompact(3e9), QStringLiteral("3.00G"));
    QCOMPARE(formatCompact(4.56e12), QStringLiteral("4.56T"));
    QCOMPARE(formatCompact(7.8e16), thin("78 000T"));
    QCOMPARE(formatCompact(kNan), QStringLiteral("NaN"));
    QCOMPARE(formatCompact(-kInf), QStringLiteral("−∞"));
}

void FormatTest::bytes() {
    QCOMPARE(formatBytes(0), thin("0 B"));
    QCOMPARE(formatBytes(512), thin("512 B"));
    QCOMPARE(formatBytes(1023), thin("1023 B").replace("1023", thin("1 023")));
    QCOMPARE(formatBytes(1536.0 * 1024), thin("1.5 MiB"));
    QCOMPARE(formatBytes(62.0 * (1 << 30)), thin("62 GiB"));
    QCOMPARE(formatBytes((1ull << 30) - 1), thin("1.0 GiB"));
    QCOMPARE(formatBytes(-7.9 * 1024 * 1024), thin("−7.9 MiB"));
    QCOMPARE(formatBytes(std::pow(2.0, 70)), thin("1 024 EiB"));
}

void FormatTest::spans() {
    QCOMPARE(formatSeconds(0), thin("0 s"));
    QCOMPARE(formatSeconds(0.0724), thin("72.4 ms"));
    QCOMPARE(formatSeconds(0.00031), thin("310 µs"));
    QCOMPARE(formatSeconds(0.0009996), thin("1.00 ms"));
    QCOMPARE(formatSeconds(1.2), thin("1.20 s"));
    QCOMPARE(formatSeconds(0.9996), thin("1.00 s"));
    QCOMPARE(formatSeconds(-0.0724), thin("−72.4 ms"));
    QCOMPARE(formatSeconds(119.9), thin("120 s"));
    QCOMPARE(formatSeconds(551), QStringLiteral("9:11"));
    QCOMPARE(formatSeconds(kNan), QStringLiteral("NaN"));
    QCOMPARE(formatDuration(7), QStringLiteral("0:07"));
    QCOMPARE(formatDuration(59.7), QStringLiteral("1:00"));
    QCOMPARE(formatDuration(551), QStringLiteral("9:11"));
    QCOMPARE(formatDuration(3723), QStringLiteral("1:02:03"));
    QCOMPARE(formatDuration(3599.6), QStringLiteral("1:00:00"));
    QCOMPARE(formatDuration(100'000), QStringLiteral("27:46:40"));
    QCOMPARE(formatDuration(3 * 86'400 + 4 * 3600), thin("3 d") + " " + thin("4 h"));
    QCOMPARE(formatDuration(-1), QStringLiteral("–"));
    QCOMPARE(formatDuration(1e300), QStringLiteral("–"));
    QCOMPARE(formatAge(12), thin("12 s"));
    QCOMPARE(formatAge(-5), thin("0 s"));
    QCOMPARE(formatAge(239), thin("3 min"));
    QCOMPARE(formatAge(7300), thin("2 h"));
    QCOMPARE(formatAge(1e6), thin("11 d"));
    QCOMPARE(formatAge(kInf), QStringLiteral("–"));
}

void FormatTest::moments() {
    const double noon = secondsOf(QDateTime(QDate(2026, 5, 14), QTime(12, 0)));
    QCOMPARE(formatMoment(noon - 3600, noon), QStringLiteral("11:00"));
    QCOMPARE(formatMoment(noon - 86400 * 2, noon), QStringLiteral("12 May 12:00"));
    QCOMPARE(formatMoment(noon - 86400.0 * 400, noon), QStringLiteral("9 Apr 2025"));
    QCOMPARE(formatMoment(0, noon), QStringLiteral("–"));
    QCOMPARE(formatTimeOfDay(noon + 0.25), QStringLiteral("12:00:00"));
    QCOMPARE(formatTimeOfDay(noon + 0.25, Fineness::Milliseconds), QStringLiteral("12:00:00.250"));
    QCOMPARE(formatTimeOfDay(kNan), QString());
    QCOMPARE(formatDateTime(noon), QStringLiteral("2026-05-14 12:00"));
    QCOMPARE(formatDateTime(0), QString());
}

void FormatTest::otherLocales() {
    QLocale::setDefault(QLocale(QLocale::German));
    QCOMPARE(formatFigure(1204.4, 5), thin("1 204,4"));
    QCOMPARE(formatFigure(0.05), QStringLiteral("0,050"));
    QCOMPARE(formatFigure(3.1e-5), QStringLiteral("3,1×10⁻⁵"));
    QCOMPARE(formatCompact(7061), QStringLiteral("7,06k"));
    QCOMPARE(formatSeconds(0.0724), thin("72,4 ms"));
    QCOMPARE(formatBytes(1536.0 * 1024), thin("1,5 MiB"));
    QCOMPARE(formatPercent(0.97314, 1), thin("97,3 %"));
    QLocale::setDefault(QLocale(QLocale::Chinese, QLocale::China));
    QCOMPARE(formatFigure(1204.4, 5), thin("1 204.4"));
    QCOMPARE(formatInteger(12400), thin("12 400"));
    // Digits of another script are digits too; the sign is ours.
    QLocale::setDefault(QLocale(QLocale::Arabic, QLocale::Egypt));
    QVERIFY(formatFigure(-0.25).startsWith(QChar(kMinus)));
    QLocale::setDefault(QLocale::c());
}

LOCKSTEP_TEST(FormatTest)
#include "format_test.moc"
