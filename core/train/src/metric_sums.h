// What a run sums of its loss and metrics: the loss, then each metric's numbers (nn/metric.h), in one row of doubles.
#pragma once

#include "programs.h"

#include <span>
#include <string>
#include <vector>

namespace lockstep::train {

class MetricSums {
public:
    // Outputs are called `prefix` and the name of the model's; `loss` is the loss' own.
    explicit MetricSums(const nn::ModelOptions& model, const std::string& prefix = "", const std::string& loss = "loss");

    std::size_t size() const { return m_size; }
    std::size_t metrics() const { return m_metrics.size(); }

    // The outputs of a program that has run. Precondition: size() places. Allocates nothing.
    void read(const exec::Program& program, graph::DType dtype, std::span<double> into) const;
    // The value of a metric over rows whose weights sum up to `weights`.
    double value(std::size_t metric, std::span<const double> sums, double weights) const;

private:
    struct Place {
        nn::MetricOptions metric;
        std::string output;
        std::size_t first = 0, count = 1;
    };
    std::string m_loss;
    std::vector<Place> m_metrics;
    std::size_t m_size = 1;
};

}  // namespace lockstep::train
