// Numbers, times and sizes as the window writes them: groups by thin spaces, a true minus, no more digits than a person reads.
#pragma once

#include <QString>

#include <cstdint>
#include <string>

namespace lockstep::models {

QString formatCount(std::uint64_t value);  // "12 400" (narrow no-break space)
// So many significant digits: "0.1234", "12.35", "1.234e−7"; "NaN", "∞", "−∞".
QString formatValue(double value, int digits = 4);
QString formatDifference(double value, int digits = 4);  // as formatValue with its sign: "+0.0120", "−1.500", "0"
QString formatShare(double ratio);                       // "97.31 %"
// How long: "0:07", "9:11", "2:03:41", "3 d 4 h".
QString formatDuration(double seconds);
// How long something fast takes: "850 µs", "72.4 ms", "1.24 s".
QString formatSeconds(double seconds);
QString formatBytes(double bytes);         // "512 B", "7.9 GiB"
QString formatClock(double unixSeconds);   // "14:03:27.250", local time
QString formatMoment(double unixSeconds);  // "2026-03-01 14:03", local time; "" for 0

inline QString toText(const std::string& text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

}  // namespace lockstep::models
