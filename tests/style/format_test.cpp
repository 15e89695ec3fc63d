#include <style/format.h>
#include <support/test.h>

#include <QDateTime>
#include <QLocale>

#include <cmath>
#include <limits>

using namespace lockstep::style;

namespace {

// Spaces in the expectations below are the thin ones.
QString thin(const char* text) { return QString::fromUtf8(text).replace(' ', QChar(kThinGroup)); }

}  // namespace

class FormatTest : public QObject {
    Q_OBJECT
private slots:
    void init() { QLocale::setDefault(QLocale::c()); }
    void integers();
    void figures();
    void spans();
    void moments();
    void otherLocale();
};

void FormatTest::integers() {
    QCOMPARE(formatInteger(0), QStringLiteral("0"));
    QCOMPARE(formatInteger(999), QStringLiteral("999"));
    QCOMPARE(formatInteger(12400), thin("12 400"));
    QCOMPARE(formatInteger(-1234567), thin("−1 234 567"));
    QCOMPARE(formatInteger(std::numeric_limits<std::int64_t>::min()), thin("−9 223 372 036 854 775 808"));
    QCOMPARE(formatCount(12400, 20000), thin("12 400") + " of " + thin("20 000"));
    QCOMPARE(formatCount(7, 0), QStringLiteral("7"));
}

void FormatTest::figures() {
    QCOMPARE(formatFigure(0.253), QStringLiteral("0.253"));
    QCOMPARE(formatFigure(72.41), QStringLiteral("72.4"));
    QCOMPARE(formatFigure(1204.4), thin("1 204"));
    QCOMPARE(formatFigure(0.9999), QStringLiteral("1.00"));
    QCOMPARE(formatFigure(99.96), QStringLiteral("100"));
    QCOMPARE(formatFigure(0.0), QStringLiteral("0.000"));
    QCOMPARE(formatFigure(3.1e-5), QStringLiteral("3.1e−5"));
    QCOMPARE(formatFigure(-0.0785), QStringLiteral("−0.079"));
    QCOMPARE(formatFigure(std::nan("")), QStringLiteral("–"));
    QCOMPARE(formatFigure(std::optional<double>()), QStringLiteral("–"));
    QCOMPARE(formatSigned(0.5, 1), QStringLiteral("+0.5"));
    QCOMPARE(formatSigned(-0.078, 3), QStringLiteral("−0.078"));
    QCOMPARE(formatSigned(0.0, 1), QStringLiteral("0.0"));
    QCOMPARE(formatSigned(-0.001, 1), QStringLiteral("0.0"));
    QCOMPARE(formatCompact(7060), QStringLiteral("7.06k"));
    QCOMPARE(formatCompact(12400), QStringLiteral("12.4k"));
    QCOMPARE(formatCompact(1.2e6), QStringLiteral("1.20M"));
    QCOMPARE(formatCompact(999.7), QStringLiteral("1.00k"));
    QCOMPARE(formatCompact(72.4), QStringLiteral("72.4"));
    QCOMPARE(formatPercent(0.59), thin("59 %"));
}

void FormatTest::spans() {
    QCOMPARE(formatSeconds(0.0724), thin("72.4 ms"));
    QCOMPARE(formatSeconds(0.00031), thin("310 µs"));
    QCOMPARE(formatSeconds(1.2), thin("1.20 s"));
    QCOMPARE(formatSeconds(0.9996), thin("1.00 s"));
    QCOMPARE(formatClock(551), QStringLiteral("9:11"));
    QCOMPARE(formatClock(3723), QStringLiteral("1:02:03"));
    QCOMPARE(formatClock(59.7), QStringLiteral("1:00"));
    QCOMPARE(formatClock(-1), QStringLiteral("–"));
    QCOMPARE(formatAge(12), thin("12 s"));
    QCOMPARE(formatAge(7300), thin("2 h"));
    QCOMPARE(formatBytes(62ull << 30), thin("62 GiB"));
    QCOMPARE(formatBytes(1536ull << 10), thin("1.5 MiB"));
    QCOMPARE(formatBytes(512), thin("512 B"));
    QCOMPARE(formatBytes((1ull << 30) - 1), thin("1.0 GiB"));
}

void FormatTest::moments() {
    const double noon = static_cast<double>(QDateTime(QDate(2026, 5, 14), QTime(12, 0)).toSecsSinceEpoch());
    QCOMPARE(formatMoment(noon - 3600, noon), QStringLiteral("11:00"));
    QCOMPARE(formatMoment(noon - 86400 * 2, noon), QStringLiteral("12 May 12:00"));
    QCOMPARE(formatMoment(noon - 86400.0 * 400, noon), QStringLiteral("9 Apr 2025"));
    QCOMPARE(formatMoment(0, noon), QStringLiteral("–"));
}

void FormatTest::otherLocale() {
    QLocale::setDefault(QLocale(QLocale::German));
    QCOMPARE(formatFigure(1204.4, 5), thin("1 204,4"));
    QCOMPARE(formatSeconds(0.0724), thin("72,4 ms"));
    QLocale::setDefault(QLocale::c());
}

LOCKSTEP_TEST(FormatTest)
#include "format_test.moc"
