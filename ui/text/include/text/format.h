// Numbers, times and sizes as the window writes them: groups divided by a narrow no-break space, true minus, the person's decimal sign
// (QLocale()), no more digits than a person reads. Files (CSV, clipboard) are not written with these.
//
// Threads: any.
#pragma once

#include <QString>

#include <cstdint>
#include <optional>
#include <string_view>

namespace lockstep::text {

inline constexpr char16_t kThinGroup = u'\u202F';  // narrow no-break space
inline constexpr char16_t kMinus = u'\u2212';

// Numbers. One that is not finite is written as what it is: "NaN", "∞", "−∞"; one that is not there as "–".
QString formatInteger(std::int64_t value);                     // 12 400
QString formatCount(std::uint64_t done, std::uint64_t total);  // "12 400 of 20 000"; without total "12 400"
QString formatFixed(double value, int decimals);               // −0.078
QString formatSigned(double value, int decimals);              // +0.5, −0.078, 0.0
// `digits` significant ones, never fewer decimals than keep 0.250 as wide as 0.253: 0.253, 72.4, 1 204, 0.0571, 0.001, 0.00095,
// below 0.0001 as a power of ten: 3.1×10⁻⁵; 0.
QString formatFigure(double value, int digits = 3);
QString formatFigure(std::optional<double> value, int digits = 3);
QString formatDifference(double value, int digits = 3);  // as formatFigure, with its sign: +0.012, −1.50, 0
// As many significant digits as asked for and no more: 0.00105, 2.5×10⁻⁶. For ticks, whose digits follow from their distance.
QString formatSignificant(double value, int digits);
QString formatCompact(double value);                    // 7.06k, 1.20M, 2.00T; below 1000 as formatFigure
QString formatPercent(double ratio, int decimals = 0);  // 59 %
QString formatMultiple(double ratio);                   // 1.65×
QString formatBytes(double bytes);                      // 512 B, 1.5 MiB, 62 GiB

// Spans of time.
QString formatSeconds(double seconds);   // 310 µs, 72.4 ms, 1.20 s: what is short; from two minutes on as formatDuration
QString formatDuration(double seconds);  // 0:07, 9:11, 1:02:03, "3 d 4 h": what has gone by or is to come; "–" when negative
QString formatAge(double seconds);       // 12 s, 4 min, 3 h, 2 d: how old something is

// Moments, local time.
enum class Fineness : std::uint8_t { Seconds, Milliseconds };
QString formatTimeOfDay(double unixSeconds, Fineness fineness = Fineness::Seconds);  // 14:03:09, 14:03:27.250
QString formatMoment(double unixSeconds, double now);                                // 07:31 today, else 2 May 07:31, else 2 May 2025
QString formatDateTime(double unixSeconds);                                          // 2026-03-01 14:03; "" for 0

// For texts of buttons and menus, where an & makes the next letter a shortcut: a name's own & stays what it is.
inline QString withoutMnemonic(QString text) { return text.replace(u'&', QStringLiteral("&&")); }

inline QString toText(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

}  // namespace lockstep::text
