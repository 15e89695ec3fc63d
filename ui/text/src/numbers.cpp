#include <text/format.h>

#include "parts.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <array>
#include <cmath>

namespace lockstep::text {
namespace {

constexpr double kLeastFixed = 1e-4, kMostFixed = 1e9;  // outside of them as a power of ten

QLocale ungrouped() {
    QLocale locale;
    locale.setNumberOptions(QLocale::OmitGroupSeparator);
    return locale;
}

// Digits of |value| with groups put between them; the sign is the caller's.
QString grouped(const QString& plain) {
    qsizetype end = plain.indexOf(QLocale().decimalPoint());
    if (end < 0) end = plain.size();
    QString out = plain;
    for (qsizetype at = end - 3; at > 0; at -= 3) out.insert(at, QChar(kThinGroup));
    return out;
}

bool roundsToZero(double value, int decimals) { return std::abs(value) < 0.5 * std::pow(10.0, -decimals); }

std::optional<QString> nameOfNoNumber(double value) {
    if (std::isnan(value)) return QStringLiteral("NaN");
    if (std::isinf(value)) return value > 0 ? QStringLiteral("∞") : QChar(kMinus) + QStringLiteral("∞");
    return std::nullopt;
}

// Decimals that give `digits` significant ones, after rounding: 0.9999 is written 1.00.
int decimalsFor(double value, int digits) {
    const double rounded = std::abs(value) * (1 + 0.5 * std::pow(10.0, -digits));
    return std::max(0, digits - 1 - static_cast<int>(std::floor(std::log10(rounded))));
}

// Zeros at the end go, but `least` decimals stay.
QString trimmed(QString number, int least) {
    const qsizetype point = number.indexOf(QLocale().decimalPoint());
    if (point < 0) return number;
    while (number.endsWith(QLatin1Char('0')) && number.size() - point - 1 > least) number.chop(1);
    if (number.size() - 1 == point) number.chop(1);
    return number;
}

QString superscript(int number) {
    static constexpr std::array<char16_t, 10> kDigits{u'⁰', u'¹', u'²', u'³', u'⁴', u'⁵', u'⁶', u'⁷', u'⁸', u'⁹'};
    QString text;
    for (const QChar digit : QString::number(std::abs(number))) text += QChar(kDigits[static_cast<std::size_t>(digit.digitValue())]);
    return number < 0 ? QChar(u'⁻') + text : text;
}

// The same in every language: "2.5×10⁻⁶".
QString withExponent(double value, int digits) {
    const QString all = QString::number(value, 'e', std::max(0, digits - 1));
    const qsizetype place = all.indexOf(QLatin1Char('e'));
    QString number = all.left(place);
    number = trimmed(number.replace(u'.', QLocale().decimalPoint()), 0) + QStringLiteral("×10") + superscript(all.mid(place + 1).toInt());
    return number.replace(u'-', QChar(kMinus));
}

}  // namespace

QString withUnit(const QString& value, const QString& unit) { return value + QChar(kThinGroup) + unit; }

QString formatInteger(std::int64_t value) {
    const auto size = value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
    const QString digits = grouped(ungrouped().toString(static_cast<qulonglong>(size)));
    return value < 0 ? QChar(kMinus) + digits : digits;
}

QString formatCount(std::uint64_t done, std::uint64_t total) {
    const QString first = formatInteger(static_cast<std::int64_t>(done));
    return total == 0 ? first : FormatText::tr("%1 of %2").arg(first, formatInteger(static_cast<std::int64_t>(total)));
}

QString formatFixed(double value, int decimals) {
    if (const auto name = nameOfNoNumber(value)) return *name;
    const QString digits = grouped(ungrouped().toString(std::abs(value), 'f', decimals));
    return value < 0 && !roundsToZero(value, decimals) ? QChar(kMinus) + digits : digits;
}

QString formatSigned(double value, int decimals) {
    const QString text = formatFixed(value, decimals);
    return value > 0 && !roundsToZero(value, decimals) ? u'+' + text : text;
}

QString formatFigure(double value, int digits) {
    if (const auto name = nameOfNoNumber(value)) return *name;
    const double size = std::abs(value);
    if (size == 0) return QStringLiteral("0");
    if (size < kLeastFixed || size >= kMostFixed) return withExponent(value, digits);
    const int decimals = decimalsFor(value, digits);
    return trimmed(formatFixed(value, decimals), std::min(decimals, digits));
}

QString formatFigure(std::optional<double> value, int digits) { return value ? formatFigure(*value, digits) : QString(kDash); }

QString formatDifference(double value, int digits) {
    const QString text = formatFigure(value, digits);
    return value > 0 ? u'+' + text : text;
}

QString formatSignificant(double value, int digits) {
    if (const auto name = nameOfNoNumber(value)) return *name;
    if (value == 0) return QStringLiteral("0");
    if (std::abs(value) < kLeastFixed) return withExponent(value, digits);
    return trimmed(formatFixed(value, decimalsFor(value, digits)), 0);
}

QString formatCompact(double value) {
    static constexpr std::array<const char*, 5> kSuffix{"", "k", "M", "G", "T"};
    double scaled = value;
    std::size_t at = 0;
    while (std::isfinite(value) && std::abs(scaled) >= 999.5 && at + 1 < kSuffix.size()) {
        scaled /= 1000;
        ++at;
    }
    return at == 0 ? formatFigure(value) : formatFixed(scaled, decimalsFor(scaled, 3)) + QLatin1String(kSuffix[at]);
}

QString formatPercent(double ratio, int decimals) {
    if (const auto name = nameOfNoNumber(ratio)) return *name;
    return withUnit(formatFixed(ratio * 100, decimals), QStringLiteral("%"));
}

QString formatMultiple(double ratio) { return formatFixed(ratio, 2) + QStringLiteral("×"); }

QString formatBytes(double bytes) {
    static constexpr std::array<const char*, 7> kUnits{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (const auto name = nameOfNoNumber(bytes)) return *name;
    std::size_t at = 0;
    for (; std::abs(bytes) >= 1023.5 && at + 1 < kUnits.size(); ++at) bytes /= 1024;
    return withUnit(formatFixed(bytes, at > 0 && std::abs(bytes) < 9.95 ? 1 : 0), QLatin1String(kUnits[at]));
}

}  // namespace lockstep::text
