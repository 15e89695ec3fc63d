#include "weight_average.h"

#include <algorithm>

namespace lockstep::train {
namespace {

bool isTrained(const graph::Node& node) { return graph::textAttribute(node.attributes, "role") == "weight"; }

template <class T>
void average(std::span<std::byte> into, std::span<const std::byte> weight, double exactMomentum) {
    auto* const to = reinterpret_cast<T*>(into.data());
    const auto* const from = reinterpret_cast<const T*>(weight.data());
    const T momentum = static_cast<T>(exactMomentum), rest = T{1} - momentum;
    for (std::size_t i = 0; i < into.size() / sizeof(T); ++i) to[i] = momentum * to[i] + rest * from[i];
}

}  // namespace

std::vector<StateTensor> averagesOf(const StepProgram& step, const nn::OptimizerOptions& optimizer) {
    std::vector<StateTensor> averages;
    if (!optimizer.useEma) return averages;
    for (const graph::NodeId id : step.states) {
        const graph::Node& node = step.graph.node(id);
        if (!isTrained(node)) continue;
        averages.push_back({node.name + "/average", "slot", node.outputs[0], std::vector<std::byte>(node.outputs[0].bytes())});
    }
    return averages;
}

WeightAverage::WeightAverage(const nn::OptimizerOptions& optimizer, StepProgram& step)
    : m_momentum(optimizer.emaMomentum), m_every(optimizer.emaOverwriteFrequency.value_or(0)), m_step(step) {
    if (step.averages.empty()) return;
    std::size_t most = 0;
    for (std::size_t i = 0; i < step.states.size(); ++i) {
        const graph::Node& node = step.graph.node(step.states[i]);
        if (!isTrained(node)) continue;
        m_places.push_back(i);
        most = std::max(most, node.outputs[0].bytes());
    }
    m_weight.resize(most);
}

void WeightAverage::update(std::uint64_t finished) {
    const double momentum = finished == 0 ? 0 : m_momentum;
    for (std::size_t i = 0; i < m_places.size(); ++i) {
        StateTensor& tensor = m_step.averages[i];
        const auto weight = std::span(m_weight).first(tensor.bytes.size());
        m_step.program->readState(m_places[i], weight);
        if (tensor.type.dtype == graph::DType::F64)
            average<double>(tensor.bytes, weight, momentum);
        else
            average<float>(tensor.bytes, weight, momentum);
    }
    if (m_every != 0 && (finished + 1) % m_every == 0) replaceWeights();
}

void WeightAverage::replaceWeights() {
    for (std::size_t i = 0; i < m_places.size(); ++i) m_step.program->writeState(m_places[i], m_step.averages[i].bytes);
}

}  // namespace lockstep::train
