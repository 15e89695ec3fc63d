// Ticks of axes and places on them in words.
#pragma once

#include <charts/axis.h>

#include <QString>

#include <vector>

namespace lockstep::charts {

// A value of a curve, a label or a lane.
QString valueText(double value, ValueFormat format);
// "8:24", "1:02:03", below ten seconds with decimals: "0.42 s".
QString elapsedText(double seconds);
// A place on the axis in words: "Step 10 400", "8:24", "14:03:09".
QString axisText(double x, XAxis axis);

// Ticks at 1-2-5, at most `most`; their texts share one unit (k, M, G).
struct Ticks {
    std::vector<double> at;
    std::vector<QString> text;
};
Ticks linearTicks(const Range& range, int most);
Ticks stepTicks(const Range& range, int most);  // linear, at whole steps
Ticks logTicks(const Range& range, int most);   // falls back to linear ticks where a decade has too few
// Linear or log ticks that are round in the unit they are written with: 1 GiB, 20 %, 50 ms.
Ticks valueTicks(const Range& range, Scale scale, int most, ValueFormat format);
Ticks timeTicks(const Range& range, int most, XAxis axis);

}  // namespace lockstep::charts
