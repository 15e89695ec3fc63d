#include <nn/metric.h>

#include <cassert>

namespace lockstep::nn {
namespace {

constexpr std::size_t kThresholds = 200;  // Keras' AUC()

double ratio(double part, double whole) { return whole == 0 ? 0 : part / whole; }

// The area under the curve of receiver operating characteristic, trapezoids between the thresholds. Counts by bucket: a prediction in
// bucket i is above thresholds 0 … i.
double areaOf(std::span<const double> positives, std::span<const double> negatives) {
    double allPositive = 0, allNegative = 0;
    for (const double count : positives) allPositive += count;
    for (const double count : negatives) allNegative += count;
    double area = 0, truePositives = 0, falsePositives = 0, recall = 0, fallout = 0;
    for (std::size_t i = positives.size(); i-- > 0;) {
        truePositives += positives[i];
        falsePositives += negatives[i];
        const double nextRecall = ratio(truePositives, allPositive), nextFallout = ratio(falsePositives, allNegative);
        // The last threshold has nothing above it.
        if (i + 1 < positives.size()) area += (nextFallout - fallout) * (nextRecall + recall) / 2;
        recall = nextRecall;
        fallout = nextFallout;
    }
    return area;
}

}  // namespace

bool isCounted(std::string_view metric) { return metric == "auc" || metric == "precision" || metric == "recall"; }

std::size_t sumsOf(const MetricOptions& metric) {
    if (metric.name == "auc") return 2 * kThresholds;
    return isCounted(metric.name) ? 4 : 1;
}

double metricValue(const MetricOptions& metric, std::span<const double> sums, double weights) {
    assert(sums.size() == sumsOf(metric));
    if (metric.name == "auc") return areaOf(sums.first(kThresholds), sums.last(kThresholds));
    // False negatives, true positives, true negatives, false positives.
    if (metric.name == "precision") return ratio(sums[1], sums[1] + sums[3]);
    if (metric.name == "recall") return ratio(sums[1], sums[0] + sums[1]);
    return sums[0] / weights;
}

}  // namespace lockstep::nn
