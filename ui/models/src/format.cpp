#include <models/format.h>

#include <QDateTime>

#include <array>
#include <cmath>

namespace lockstep::models {
namespace {

constexpr QChar kThinGroup(0x202F);
constexpr QChar kMinus(0x2212);

QString withMinus(QString text) { return text.replace(QLatin1Char('-'), kMinus); }

// As many decimals as make `digits` significant ones.
QString significant(double value, int digits) {
    const double size = std::abs(value);
    const int whole = size < 1 ? 1 : static_cast<int>(std::log10(size)) + 1;
    return QString::number(value, 'f', std::max(0, digits - whole));
}

}  // namespace

QString formatCount(std::uint64_t value) {
    auto text = QString::number(value);
    for (auto place = text.size() - 3; place > 0; place -= 3) text.insert(place, kThinGroup);
    return text;
}

QString formatValue(double value, int digits) {
    if (std::isnan(value)) return QStringLiteral("NaN");
    if (std::isinf(value)) return value > 0 ? QStringLiteral("∞") : QString(kMinus) + QStringLiteral("∞");
    const double size = std::abs(value);
    if (size == 0) return QStringLiteral("0");
    if (size < 1e-3 || size >= 1e7)
        return withMinus(QString::number(value, 'e', digits - 1)
                             .replace(QStringLiteral("e+0"), QStringLiteral("e"))
                             .replace(QStringLiteral("e-0"), QStringLiteral("e-"))
                             .replace(QStringLiteral("e+"), QStringLiteral("e")));
    if (size >= 10'000) {
        const auto text = formatCount(static_cast<std::uint64_t>(std::llround(size)));
        return value < 0 ? kMinus + text : text;
    }
    return withMinus(significant(value, size < 1 ? digits + 1 : digits));
}

QString formatDifference(double value, int digits) {
    const auto text = formatValue(value, digits);
    return value > 0 ? QLatin1Char('+') + text : text;
}

QString formatShare(double ratio) {
    if (!std::isfinite(ratio)) return formatValue(ratio);
    return withMinus(QString::number(ratio * 100, 'f', 2)) + QStringLiteral("\u202F%");
}

QString formatDuration(double seconds) {
    if (!std::isfinite(seconds) || seconds < 0) return QString();
    const auto whole = static_cast<std::uint64_t>(seconds);
    const auto days = whole / 86400, hours = whole / 3600, minutes = whole / 60 % 60, rest = whole % 60;
    if (days >= 2) return QStringLiteral("%1\u202Fd %2\u202Fh").arg(days).arg(hours % 24);
    const auto two = [](std::uint64_t number) { return QStringLiteral("%1").arg(number, 2, 10, QLatin1Char('0')); };
    if (hours > 0) return QStringLiteral("%1:%2:%3").arg(QString::number(hours), two(minutes), two(rest));
    return QStringLiteral("%1:%2").arg(QString::number(minutes), two(rest));
}

QString formatSeconds(double seconds) {
    if (!std::isfinite(seconds)) return formatValue(seconds);
    const double size = std::abs(seconds);
    if (size == 0) return QStringLiteral("0\u202Fs");
    if (size < 1e-3) return withMinus(significant(seconds * 1e6, 3)) + QStringLiteral("\u202Fµs");
    if (size < 1) return withMinus(significant(seconds * 1e3, 3)) + QStringLiteral("\u202Fms");
    if (size < 120) return withMinus(significant(seconds, 3)) + QStringLiteral("\u202Fs");
    return formatDuration(seconds);
}

QString formatBytes(double bytes) {
    static constexpr std::array<const char*, 6> kUnits = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    std::size_t unit = 0;
    for (; std::abs(bytes) >= 1024 && unit + 1 < kUnits.size(); ++unit) bytes /= 1024;
    const auto number = unit == 0 ? QString::number(bytes, 'f', 0) : QString::number(bytes, 'f', std::abs(bytes) < 100 ? 1 : 0);
    return withMinus(number) + QChar(0x202F) + QLatin1String(kUnits[unit]);
}

QString formatClock(double unixSeconds) {
    if (unixSeconds <= 0) return QString();
    return QDateTime::fromMSecsSinceEpoch(std::llround(unixSeconds * 1000)).toString(QStringLiteral("HH:mm:ss.zzz"));
}

QString formatMoment(double unixSeconds) {
    if (unixSeconds <= 0) return QString();
    return QDateTime::fromMSecsSinceEpoch(std::llround(unixSeconds * 1000)).toString(QStringLiteral("yyyy-MM-dd HH:mm"));
}

}  // namespace lockstep::models
