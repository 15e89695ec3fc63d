#include <charts/smoother.h>

#include <algorithm>
#include <cmath>

namespace lockstep::charts {

Smoother::Smoother(std::shared_ptr<const SeriesData> raw, double weight) : m_raw(std::move(raw)) {
    m_smooth = std::make_shared<SeriesData>(m_raw->pool());
    m_generation = m_raw->generation();
    setWeight(weight);
}

void Smoother::setWeight(double weight) {
    const double inside = std::isfinite(weight) ? std::clamp(weight, 0.0, kMostSmoothing) : 0.0;
    if (inside == m_weight) return;
    m_weight = inside;
    restart();
}

void Smoother::restart() {
    m_smooth->clear();
    m_state = 0;
    m_rest = 1;
    m_piece = 0;
    m_generation = m_raw->generation();
}

const SeriesData& Smoother::update() {
    if (m_generation != m_raw->generation()) restart();
    const auto& pieces = m_raw->pieces();
    for (std::size_t index = m_smooth->size(); index < m_raw->size(); ++index) {
        Sample sample = m_raw->at(index);
        if (m_piece < pieces.size() && pieces[m_piece] == index) {
            m_state = 0;
            m_rest = 1;
            ++m_piece;
        }
        if (std::isfinite(sample.value)) {
            m_state = m_weight * m_state + (1 - m_weight) * sample.value;
            m_rest *= m_weight;
            sample.value = m_state / (1 - m_rest);
        }
        m_smooth->append(sample);
    }
    return *m_smooth;
}

}  // namespace lockstep::charts
