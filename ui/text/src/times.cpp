#include <text/format.h>

#include "parts.h"

#include <QDateTime>
#include <QLocale>

#include <algorithm>
#include <cmath>

namespace lockstep::text {
namespace {

constexpr double kMinute = 60, kHour = 3600, kDay = 86400;
constexpr double kLongest = 1e11;      // seconds: what is longer than any run is no span
constexpr double kClockFrom = 119.95;  // from here on minutes and seconds say more than seconds

QString twoDigits(std::int64_t number) { return QStringLiteral("%1").arg(number, 2, 10, QLatin1Char('0')); }

QDateTime momentOf(double unixSeconds) { return QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(std::llround(unixSeconds * 1000))); }

bool isMoment(double unixSeconds) { return unixSeconds > 0 && unixSeconds < kLongest; }

}  // namespace

QString formatSeconds(double seconds) {
    const double size = std::abs(seconds);
    if (!std::isfinite(seconds)) return formatFigure(seconds);
    if (size == 0) return withUnit(QStringLiteral("0"), QStringLiteral("s"));
    if (size < 0.9995e-3) return withUnit(formatFigure(seconds * 1e6), QStringLiteral("µs"));
    if (size < 0.9995) return withUnit(formatFigure(seconds * 1e3), QStringLiteral("ms"));
    if (seconds < kClockFrom) return withUnit(formatFigure(seconds), QStringLiteral("s"));
    return formatDuration(seconds);
}

QString formatDuration(double seconds) {
    if (!std::isfinite(seconds) || seconds < 0 || seconds > kLongest) return kDash;
    const auto whole = static_cast<std::int64_t>(std::llround(seconds));
    const auto days = whole / 86400, hours = whole / 3600, minutes = whole / 60 % 60;
    if (days >= 2)
        return withUnit(formatInteger(days), FormatText::tr("d")) + QLatin1Char(' ') +
               withUnit(formatInteger(hours % 24), FormatText::tr("h"));
    const QString rest = twoDigits(whole % 60);
    if (hours == 0) return QStringLiteral("%1:%2").arg(QString::number(minutes), rest);
    return QStringLiteral("%1:%2:%3").arg(QString::number(hours), twoDigits(minutes), rest);
}

QString formatAge(double seconds) {
    if (!std::isfinite(seconds) || seconds > kLongest) return kDash;
    const double age = std::max(0.0, seconds);
    if (age < kMinute) return withUnit(formatInteger(static_cast<std::int64_t>(age)), FormatText::tr("s"));
    if (age < kHour) return withUnit(formatInteger(static_cast<std::int64_t>(age / kMinute)), FormatText::tr("min"));
    if (age < kDay) return withUnit(formatInteger(static_cast<std::int64_t>(age / kHour)), FormatText::tr("h"));
    return withUnit(formatInteger(static_cast<std::int64_t>(age / kDay)), FormatText::tr("d"));
}

QString formatTimeOfDay(double unixSeconds, Fineness fineness) {
    if (!isMoment(unixSeconds)) return {};
    return momentOf(unixSeconds).toString(fineness == Fineness::Seconds ? QStringLiteral("HH:mm:ss") : QStringLiteral("HH:mm:ss.zzz"));
}

QString formatMoment(double unixSeconds, double now) {
    if (!isMoment(unixSeconds)) return kDash;
    const QDateTime moment = momentOf(unixSeconds), today = momentOf(now);
    const QLocale locale;
    if (moment.date() == today.date()) return locale.toString(moment, QStringLiteral("HH:mm"));
    if (moment.date().year() == today.date().year()) return locale.toString(moment, FormatText::tr("d MMM HH:mm"));
    return locale.toString(moment, FormatText::tr("d MMM yyyy"));
}

QString formatDateTime(double unixSeconds) {
    return isMoment(unixSeconds) ? momentOf(unixSeconds).toString(QStringLiteral("yyyy-MM-dd HH:mm")) : QString();
}

}  // namespace lockstep::text
