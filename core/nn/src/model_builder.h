// The graph of a model while its layers are added one after the other.
#pragma once

#include <nn/model.h>

#include <map>
#include <utility>

namespace lockstep::nn {

class ModelBuilder {
public:
    // Adds the Input "x".
    static Result<ModelBuilder> create(const Architecture& architecture, std::int64_t rows, graph::DType dtype, Phase phase,
                                       const ModelOptions& options);

    graph::Graph& graph() { return m_model.forward; }
    graph::DType dtype() const { return m_dtype; }
    std::int64_t rows() const { return m_rows; }
    bool training() const { return m_phase == Phase::Training; }
    graph::Value input() const { return m_input; }

    Result<graph::Value> weight(const std::string& name, graph::Shape shape, Named initializer, WeightRole role);
    // l1, l2 or l1_l2.
    void regularise(graph::Value weight, const Named& regularizer);
    void addMovingStatistic(MovingStatistic statistic) { m_model.movingStatistics.push_back(statistic); }
    // What a layer of this policy computes in; "" = the model's. Of a float64 model always float64.
    graph::DType computeType(std::string_view policy) const;
    // The same numbers in that type, made once; whole numbers stay as they are.
    Result<graph::Value> cast(graph::Value value, graph::DType dtype);
    // The scalar Input of that name; added when it is not there yet.
    Result<graph::Value> scalar(const std::string& name);
    // Of the next dropout: its own for each and for each seed of the model, below 2^31.
    std::int64_t nextDropoutSeed();

    Model take() { return std::move(m_model); }

private:
    ModelBuilder() = default;

    Model m_model;
    graph::DType m_dtype{};
    std::int64_t m_rows = 0;
    Phase m_phase = Phase::Training;
    graph::Value m_input;
    std::uint64_t m_seed = 0;
    std::string m_policy;
    std::map<std::pair<graph::Value, graph::DType>, graph::Value> m_casts;
    std::uint32_t m_dropouts = 0;
};

}  // namespace lockstep::nn
