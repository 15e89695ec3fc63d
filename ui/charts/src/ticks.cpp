#include <charts/ticks.h>
#include <text/format.h>

#include <QDateTime>

#include <algorithm>
#include <array>
#include <cmath>

namespace lockstep::charts {
namespace {

struct Unit {
    double size;
    const char* name;
};
constexpr int kMostDecimals = 6;
constexpr std::array<Unit, 4> kUnits{{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}}};

Unit unitFor(double magnitude) {
    for (const Unit& unit : kUnits)
        if (magnitude >= unit.size * 0.99999) return unit;
    return {1, ""};
}

// Smallest of 1, 2, 5 × 10^k that needs at most `most` steps for `size`.
double niceStep(double size, int most) {
    const double rough = size / std::max(1, most);
    const double power = std::pow(10, std::floor(std::log10(rough)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * power >= rough * (1 - 1e-9)) return factor * power;
    return 10 * power;
}

QString tickText(double value, double step, const Unit& unit) {
    if (value == 0) return QStringLiteral("0");
    const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(step / unit.size) - 1e-9)));
    // One axis is written in one way: all its ticks with as many decimals as their distance needs, as long as that can be read.
    if (decimals > kMostDecimals) {
        const int digits = 1 + static_cast<int>(std::floor(std::log10(std::abs(value)) + 1e-9) - std::floor(std::log10(step) + 1e-9));
        return text::formatSignificant(value, std::clamp(digits, 1, 15));
    }
    return text::formatFixed(value / unit.size, decimals) + QLatin1String(unit.name);
}

// Ticks of `range` as they stand at 1-2-5 of `unit`, written in it.
Ticks ticksIn(const Range& range, int most, const Unit& unit, double least = 0) {
    Ticks ticks;
    if (!(range.size() > 0) || !std::isfinite(range.size())) return ticks;
    double step = niceStep(range.size(), most);
    const auto count = [&](double each) { return std::floor(range.to / each + 1e-9) - std::ceil(range.from / each - 1e-9) + 1; };
    for (int tries = 0; tries < 4 && count(step) > most; ++tries) step = niceStep(step * 1.01, 1);
    step = std::max(step, least);
    const double first = std::ceil(range.from / step - 1e-9);
    for (int i = 0; i < count(step); ++i) {
        const double value = (first + i) * step;
        ticks.at.push_back(value);
        ticks.text.push_back(tickText(value, step, unit));
    }
    return ticks;
}

double largest(const Range& range) { return std::max(std::abs(range.from), std::abs(range.to)); }

// The unit in which the largest value of an axis reads best.
Unit unitFor(double magnitude, ValueFormat format) {
    static constexpr std::array<Unit, 5> kBytes{
        {{1, "B"}, {1024.0, "KiB"}, {1048576.0, "MiB"}, {1073741824.0, "GiB"}, {1099511627776.0, "TiB"}}};
    static constexpr std::array<Unit, 3> kSeconds{{{1e-6, "µs"}, {1e-3, "ms"}, {1, "s"}}};
    const auto choose = [&](const auto& units) {
        Unit best = units.front();
        for (const Unit& unit : units)
            if (magnitude >= unit.size) best = unit;
        return best;
    };
    if (format == ValueFormat::Percent) return {0.01, "%"};
    return format == ValueFormat::Bytes ? choose(kBytes) : choose(kSeconds);
}

// Of less than a few seconds: parts of a second, written with the time of day.
Ticks momentTicks(const Range& range, int most) {
    const double second = std::floor(range.from);
    Ticks ticks = ticksIn({range.from - second, range.to - second}, std::max(1, most / 2), {1, ""});
    for (std::size_t i = 0; i < ticks.at.size(); ++i) {
        ticks.at[i] += second;
        const QDateTime time = QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(std::llround(ticks.at[i] * 1e3)));
        ticks.text[i] = time.toString(QStringLiteral("HH:mm:ss.zzz"));
    }
    return ticks;
}

QString twoDigits(std::int64_t number) { return QStringLiteral("%1").arg(number, 2, 10, QChar('0')); }

}  // namespace

QString valueText(double value, ValueFormat format) {
    switch (format) {
        case ValueFormat::Number: return text::formatCompact(value);
        case ValueFormat::Percent: return text::formatPercent(value);
        case ValueFormat::Bytes: return text::formatBytes(value);
        case ValueFormat::Seconds: return text::formatSeconds(value);
    }
    return {};
}

QString elapsedText(double seconds) {
    const double size = std::abs(seconds);
    if (size < 10) return text::formatFixed(seconds, size < 1 ? 2 : 1) + QStringLiteral(" s");
    return seconds < 0 ? QChar(text::kMinus) + text::formatDuration(size) : text::formatDuration(seconds);
}

QString axisText(double x, XAxis axis) {
    switch (axis) {
        case XAxis::Step: return text::formatInteger(std::llround(x));
        case XAxis::Elapsed: return elapsedText(x);
        case XAxis::WallTime: return text::formatTimeOfDay(x);
    }
    return {};
}

Ticks linearTicks(const Range& range, int most) { return ticksIn(range, most, unitFor(largest(range))); }

Ticks stepTicks(const Range& range, int most) { return ticksIn(range, most, unitFor(largest(range)), 1); }

Ticks logTicks(const Range& range, int most) {
    if (!(range.from > 0) || !(range.to > range.from)) return {};
    const int low = static_cast<int>(std::floor(std::log10(range.from)));
    const int high = static_cast<int>(std::ceil(std::log10(range.to)));
    const auto collect = [&](std::initializer_list<double> factors, int every) {
        Ticks ticks;
        for (int power = low; power <= high; ++power)
            for (const double factor : factors) {
                const double value = factor * std::pow(10, power);
                if (((power % every) + every) % every != 0 || value < range.from * (1 - 1e-9) || value > range.to * (1 + 1e-9)) continue;
                ticks.at.push_back(value);
                ticks.text.push_back(power < -4 ? text::formatSignificant(value, 1) : tickText(value, std::pow(10, power), unitFor(value)));
            }
        return ticks;
    };
    const Ticks fine = collect({1, 2, 5}, 1);
    if (fine.at.size() < 2) return linearTicks(range, most);
    if (static_cast<int>(fine.at.size()) <= most) return fine;
    for (int every = 1; every < 64; ++every) {
        const Ticks decades = collect({1}, every);
        if (static_cast<int>(decades.at.size()) <= most) return decades.at.size() < 2 ? fine : decades;
    }
    return fine;
}

Ticks valueTicks(const Range& range, Scale scale, int most, ValueFormat format) {
    if (format == ValueFormat::Number) return scale == Scale::Log ? logTicks(range, most) : linearTicks(range, most);
    const Unit unit = unitFor(largest(range), format);
    const Range written{range.from / unit.size, range.to / unit.size};
    Ticks ticks = scale == Scale::Log ? logTicks(written, most) : ticksIn(written, most, {1, ""});
    for (double& at : ticks.at) at *= unit.size;
    for (QString& each : ticks.text)
        if (each != QStringLiteral("0")) each += QChar(text::kThinGroup) + QString::fromUtf8(unit.name);
    return ticks;
}

Ticks timeTicks(const Range& range, int most, XAxis axis) {
    static constexpr std::array<double, 22> kSteps{1,    2,    5,    10,    15,    30,    60,    120,    300,    600,    900,
                                                   1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 432000, 864000, 1728000};
    const double rough = range.size() / std::max(1, most);
    const auto step =
        std::find_if(kSteps.begin(), kSteps.end(), [&](double each) { return each >= rough && std::floor(range.size() / each) < most; });
    if (axis == XAxis::WallTime && rough < 0.2) return momentTicks(range, most);
    if (rough < 0.2 || step == kSteps.end()) return linearTicks(range, most);
    // Local noon and full hours are even numbers of steps only when counted from local midnight.
    const double shift = axis == XAxis::WallTime ? QDateTime::fromSecsSinceEpoch(static_cast<qint64>(range.from)).offsetFromUtc() : 0;
    Ticks ticks;
    for (double at = std::ceil((range.from + shift) / *step - 1e-9) * *step - shift; at <= range.to * (1 + 1e-12); at += *step) {
        ticks.at.push_back(at);
        if (axis == XAxis::WallTime) {
            const QDateTime time = QDateTime::fromSecsSinceEpoch(static_cast<qint64>(std::llround(at)));
            ticks.text.push_back(time.toString(*step >= 86400 ? QStringLiteral("d MMM")
                                               : *step >= 60  ? QStringLiteral("HH:mm")
                                                              : QStringLiteral("HH:mm:ss")));
        } else {
            const auto whole = static_cast<std::int64_t>(std::llround(at));
            ticks.text.push_back(whole == 0 ? QStringLiteral("0")
                                 : whole >= 3600 && *step >= 60
                                     ? QStringLiteral("%1:%2 h").arg(whole / 3600).arg(twoDigits(whole / 60 % 60))
                                 : whole < 60 ? QStringLiteral("%1 s").arg(whole)
                                              : elapsedText(at));
        }
    }
    return ticks;
}

}  // namespace lockstep::charts
