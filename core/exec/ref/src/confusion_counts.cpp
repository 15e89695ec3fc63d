#include "kernel.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

namespace lockstep::exec::ref {
namespace {

// As Keras' metrics_utils sorts predictions between its thresholds.
template <class T>
std::int64_t evenBucket(T p, std::int64_t buckets) {
    if (!(p > 0)) return 0;  // also NaN
    const T place = std::ceil(std::min(p, T{1}) * static_cast<T>(buckets - 1)) - 1;
    return std::max<std::int64_t>(static_cast<std::int64_t>(place), 0);
}

template <class T>
bool isAmongLargest(const T* row, std::int64_t size, std::int64_t at, std::int64_t k) {
    std::int64_t before = 0;
    for (std::int64_t c = 0; c < size; ++c) before += row[c] > row[at] || (row[c] == row[at] && c < at) ? 1 : 0;
    return !std::isnan(row[at]) && before < k;
}

}  // namespace

template <class T>
void confusionCounts(const Call& call) {
    const auto& attributes = call.node->attributes;
    const std::string_view kind = graph::textAttribute(attributes, "kind");
    const std::int64_t rows = call.shape(0)[0], columns = call.shape(0)[1], buckets = call.node->outputs[0].shape[1];
    const T threshold = static_cast<T>(graph::doubleAttributeOr(attributes, "threshold", 0.5));
    const std::int64_t k = graph::intAttributeOr(attributes, "k", 1);
    std::vector<double> counts(static_cast<std::size_t>(2 * buckets), 0);
    for (std::int64_t i = 0; i < rows; ++i) {
        const T* row = call.in<T>(0) + i * columns;
        for (std::int64_t c = 0; c < columns; ++c) {
            std::int64_t bucket = 0;
            if (kind == "even") bucket = evenBucket(row[c], buckets);
            if (kind == "above") bucket = row[c] > threshold ? 1 : 0;
            if (kind == "top_k") bucket = isAmongLargest(row, columns, c, k) ? 1 : 0;
            const bool isTrue = call.in<T>(1)[i * columns + c] != 0;
            counts[static_cast<std::size_t>((isTrue ? 0 : buckets) + bucket)] += double{call.in<T>(2)[i]};
        }
    }
    for (std::size_t i = 0; i < counts.size(); ++i) call.out<T>(0)[i] = static_cast<T>(counts[i]);
}

LOCKSTEP_BOTH(confusionCounts);

}  // namespace lockstep::exec::ref
