// What metrics sum over rows, and the values that follow from the sums. Values, thread safe; nothing allocates.
#pragma once

#include <nn/loss.h>

#include <cstddef>
#include <span>
#include <string_view>

namespace lockstep::nn {

// auc, precision, recall: their values follow from counts of elements over all rows, not from a mean of values per row.
bool isCounted(std::string_view metric);

// Numbers of the metric's output: 1, or those of its counts.
std::size_t sumsOf(const MetricOptions& metric);

// The value of rows whose weights sum up to `weights`; sums has sumsOf() numbers, Σ weights · value or weights of the elements counted.
// Formulas of keras/metrics (confusion_metrics.py); where Keras divides by 0 it gives 0.
double metricValue(const MetricOptions& metric, std::span<const double> sums, double weights);

}  // namespace lockstep::nn
