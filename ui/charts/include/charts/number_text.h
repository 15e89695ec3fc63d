// Numbers as charts and values tables write them: "7.06k", "0.253", "12 400" (thin groups), true minus.
#pragma once

#include <charts/axis.h>

#include <QString>

#include <cstdint>
#include <vector>

namespace lockstep::charts {

// About three digits: 0.253, 72.4, 7.06k, 1.2M, 3e−5. "NaN" and "∞" by name.
QString valueText(double value);
// All digits in groups of three, divided by a narrow no-break space.
QString groupedText(std::int64_t number);
// "8:24", "1:02:03", from a tenth of a second: "0.4 s".
QString elapsedText(double seconds);
QString wallText(double unixSeconds);  // local time, "14:03:09"
// A place on the axis in words: "Step 10 400", "8:24", "14:03:09".
QString axisText(double x, XAxis axis);

// Ticks at 1-2-5, at most `most`; their texts share one unit (k, M, G).
struct Ticks {
    std::vector<double> at;
    std::vector<QString> text;
};
Ticks linearTicks(const Range& range, int most);
Ticks logTicks(const Range& range, int most);  // falls back to linear ticks where a decade has too few
Ticks timeTicks(const Range& range, int most, XAxis axis);

}  // namespace lockstep::charts
