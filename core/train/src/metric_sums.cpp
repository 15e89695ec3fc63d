#include "metric_sums.h"

#include <nn/metric.h>

namespace lockstep::train {

MetricSums::MetricSums(const nn::ModelOptions& model, const std::string& prefix, const std::string& loss) : m_loss(prefix + loss) {
    for (const ToldMetric& told : toldMetrics(model)) {
        m_metrics.push_back({told.metric, prefix + told.output, m_size, nn::sumsOf(told.metric)});
        m_size += m_metrics.back().count;
    }
}

void MetricSums::read(const exec::Program& program, graph::DType dtype, std::span<double> into) const {
    into[0] = scalarOf(program, m_loss, dtype);
    for (const Place& place : m_metrics) numbersOf(program, place.output, dtype, into.subspan(place.first, place.count));
}

double MetricSums::value(std::size_t metric, std::span<const double> sums, double weights) const {
    const Place& place = m_metrics[metric];
    return nn::metricValue(place.metric, sums.subspan(place.first, place.count), weights);
}

}  // namespace lockstep::train
