// Numbers as the window writes them: thin groups, true minus, the person's decimal sign (QLocale()). All figures of one kind have the
// same number of digits, so that nothing moves when a value changes.
//
// Threads: any.
#pragma once

#include <QString>

#include <cstdint>
#include <optional>

namespace lockstep::style {

inline constexpr char16_t kThinGroup = u'\u202F';  // narrow no-break space
inline constexpr char16_t kMinus = u'\u2212';

QString formatInteger(std::int64_t value);           // 12 400
QString formatFixed(double value, int decimals);     // −0.078
QString formatSigned(double value, int decimals);    // +0.5, −0.078, 0.0
QString formatFigure(double value, int digits = 3);  // 0.253, 72.4, 1 204, 3.1e−5; "–" when not finite
QString formatFigure(std::optional<double> value, int digits = 3);
QString formatCompact(double value);                           // 7.06k, 1.20M; below 1000 as formatFigure
QString formatPercent(double ratio, int decimals = 0);         // 59 %
QString formatSeconds(double seconds);                         // 310 µs, 72.4 ms, 1.20 s: short spans with a unit
QString formatClock(double seconds);                           // 9:11, 1:02:03: remaining and elapsed time
QString formatAge(double seconds);                             // 12 s, 4 min, 3 h, 2 d
QString formatBytes(std::uint64_t bytes);                      // 62 GiB, 1.5 MiB
QString formatMoment(double unixSeconds, double now);          // 07:31 today, else 2 May 07:31, else 2 May 2025
QString formatCount(std::uint64_t done, std::uint64_t total);  // "12 400 of 20 000"; without total "12 400"

}  // namespace lockstep::style
