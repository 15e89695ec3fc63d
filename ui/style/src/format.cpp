#include <style/format.h>

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>

#include <array>
#include <cmath>

namespace lockstep::style {
namespace {

constexpr double kMinute = 60, kHour = 3600, kDay = 86400;
const QChar kDash = u'\u2013';

struct FormatText {
    Q_DECLARE_TR_FUNCTIONS(FormatText)
};

QString withUnit(const QString& value, const QString& unit) { return value + QChar(kThinGroup) + unit; }

// Digits of |value| with groups put between them; the sign is the caller's.
QString grouped(const QString& plain) {
    const QString point = QLocale().decimalPoint();
    qsizetype end = plain.indexOf(point);
    if (end < 0) end = plain.size();
    QString out = plain;
    for (qsizetype at = end - 3; at > 0; at -= 3) out.insert(at, QChar(kThinGroup));
    return out;
}

QString plainNumber(double value, int decimals) {
    QLocale locale;
    locale.setNumberOptions(QLocale::OmitGroupSeparator);
    return grouped(locale.toString(std::abs(value), 'f', decimals));
}

bool roundsToZero(double value, int decimals) { return std::abs(value) < 0.5 * std::pow(10.0, -decimals); }

QString exponent(double value, int digits) {
    QLocale locale;
    locale.setNumberOptions(QLocale::OmitGroupSeparator | QLocale::OmitLeadingZeroInExponent);
    return locale.toString(value, 'e', digits - 1).replace(u'-', QChar(kMinus)).replace(QStringLiteral("e+"), QStringLiteral("e"));
}

// Decimals that give `digits` significant ones, after rounding.
int decimalsFor(double value, int digits) {
    const double rounded = std::abs(value) * (1 + 0.5 * std::pow(10.0, -digits));
    const int whole = rounded < 1 ? 1 : static_cast<int>(std::floor(std::log10(rounded))) + 1;
    return std::max(0, digits - whole + (rounded < 1 ? 1 : 0));
}

}  // namespace

QString formatInteger(std::int64_t value) {
    QLocale locale;
    locale.setNumberOptions(QLocale::OmitGroupSeparator);
    const QString digits = grouped(
        locale.toString(static_cast<qulonglong>(value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value))));
    return value < 0 ? QChar(kMinus) + digits : digits;
}

QString formatFixed(double value, int decimals) {
    if (!std::isfinite(value)) return kDash;
    const QString digits = plainNumber(value, decimals);
    return value < 0 && !roundsToZero(value, decimals) ? QChar(kMinus) + digits : digits;
}

QString formatSigned(double value, int decimals) {
    const QString text = formatFixed(value, decimals);
    return std::isfinite(value) && value > 0 && !roundsToZero(value, decimals) ? u'+' + text : text;
}

QString formatFigure(double value, int digits) {
    if (!std::isfinite(value)) return kDash;
    const double size = std::abs(value);
    if (size != 0 && (size < 1e-3 || size >= 1e9)) return exponent(value, std::min(digits, 2));
    return formatFixed(value, decimalsFor(value, digits));
}

QString formatFigure(std::optional<double> value, int digits) { return value ? formatFigure(*value, digits) : QString(kDash); }

QString formatCompact(double value) {
    static constexpr std::array<const char*, 5> kSuffix{"", "k", "M", "G", "T"};
    if (!std::isfinite(value)) return kDash;
    double scaled = value;
    std::size_t at = 0;
    while (std::abs(scaled) >= 999.5 && at + 1 < kSuffix.size()) {
        scaled /= 1000;
        ++at;
    }
    return at == 0 ? formatFigure(value) : formatFixed(scaled, decimalsFor(scaled, 3)) + QLatin1String(kSuffix[at]);
}

QString formatPercent(double ratio, int decimals) {
    if (!std::isfinite(ratio)) return kDash;
    return withUnit(formatFixed(ratio * 100, decimals), QStringLiteral("%"));
}

QString formatSeconds(double seconds) {
    if (!std::isfinite(seconds)) return kDash;
    const double size = std::abs(seconds);
    if (size == 0) return withUnit(QStringLiteral("0"), QStringLiteral("s"));
    if (size < 0.9995e-3) return withUnit(formatFigure(seconds * 1e6), QStringLiteral("µs"));
    if (size < 0.9995) return withUnit(formatFigure(seconds * 1e3), QStringLiteral("ms"));
    return withUnit(formatFigure(seconds), QStringLiteral("s"));
}

QString formatClock(double seconds) {
    if (!std::isfinite(seconds) || seconds < 0 || seconds > 1e9) return kDash;
    const auto whole = static_cast<std::int64_t>(std::llround(seconds));
    const auto hours = whole / 3600;
    const auto minutes = whole / 60 % 60;
    const QString rest = QStringLiteral("%1").arg(whole % 60, 2, 10, QLatin1Char('0'));
    if (hours == 0) return QStringLiteral("%1:%2").arg(minutes).arg(rest);
    return QStringLiteral("%1:%2:%3").arg(hours).arg(minutes, 2, 10, QLatin1Char('0')).arg(rest);
}

QString formatAge(double seconds) {
    if (!std::isfinite(seconds)) return kDash;
    const double age = std::max(0.0, seconds);
    if (age < kMinute) return withUnit(formatInteger(static_cast<std::int64_t>(age)), FormatText::tr("s"));
    if (age < kHour) return withUnit(formatInteger(static_cast<std::int64_t>(age / kMinute)), FormatText::tr("min"));
    if (age < kDay) return withUnit(formatInteger(static_cast<std::int64_t>(age / kHour)), FormatText::tr("h"));
    return withUnit(formatInteger(static_cast<std::int64_t>(age / kDay)), FormatText::tr("d"));
}

QString formatBytes(std::uint64_t bytes) {
    static constexpr std::array<const char*, 7> kUnits{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double scaled = static_cast<double>(bytes);
    std::size_t at = 0;
    while (scaled >= 1023.5 && at + 1 < kUnits.size()) {
        scaled /= 1024;
        ++at;
    }
    return withUnit(formatFixed(scaled, at > 0 && scaled < 9.95 ? 1 : 0), QLatin1String(kUnits[at]));
}

QString formatMoment(double unixSeconds, double now) {
    if (!std::isfinite(unixSeconds) || unixSeconds <= 0) return kDash;
    const QDateTime moment = QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(unixSeconds * 1000));
    const QDateTime today = QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(now * 1000));
    const QLocale locale;
    if (moment.date() == today.date()) return locale.toString(moment, QStringLiteral("HH:mm"));
    if (moment.date().year() == today.date().year()) return locale.toString(moment, FormatText::tr("d MMM HH:mm"));
    return locale.toString(moment, FormatText::tr("d MMM yyyy"));
}

QString formatCount(std::uint64_t done, std::uint64_t total) {
    const QString first = formatInteger(static_cast<std::int64_t>(done));
    return total == 0 ? first : FormatText::tr("%1 of %2").arg(first, formatInteger(static_cast<std::int64_t>(total)));
}

}  // namespace lockstep::style
