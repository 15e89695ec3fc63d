#include "model_builder.h"

#include <base/random.h>
#include <nn/precision.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lockstep::nn {

using graph::DType;
using graph::Shape;
using graph::TensorType;
using graph::Value;

Result<ModelBuilder> ModelBuilder::create(const Architecture& architecture, std::int64_t rows, DType dtype, Phase phase,
                                          const ModelOptions& options) {
    if (!computeTypeOf(options.policy))
        return makeError(
            "S415", {{"layer", "of the model"},
                     {"what", fmt::format("its policy is \"{}\", but must be one of {}", options.policy, fmt::join(policyNames(), ", "))}});
    ModelBuilder builder;
    builder.m_dtype = dtype;
    builder.m_rows = rows;
    builder.m_phase = phase;
    builder.m_seed = options.seed;
    builder.m_policy = options.policy;
    std::vector<std::int64_t> dims = {rows};
    dims.insert(dims.end(), architecture.inputShape.begin(), architecture.inputShape.end());
    const DType kind = architecture.input == InputKind::Tokens ? DType::I32 : dtype;
    LS_TRY_ASSIGN(builder.m_input, builder.graph().input("x", {kind, Shape(dims)}));
    return builder;
}

Result<Value> ModelBuilder::weight(const std::string& name, Shape shape, Named initializer, WeightRole role) {
    TensorType type{m_dtype, std::move(shape)};
    LS_TRY_ASSIGN(const Value value, graph().state(name, type, role == WeightRole::Trained ? "weight" : "statistic"));
    m_model.weights.push_back({name, std::move(type), std::move(initializer), role});
    return value;
}

void ModelBuilder::regularise(Value weight, const Named& regularizer) {
    constexpr double kDefault = 0.01;
    const auto factor = [&](std::string_view key) {
        const double fallback = regularizer.name == key ? kDefault : 0;
        return static_cast<double>(static_cast<float>(regularizer.argumentOr(key, fallback)));
    };
    m_model.regularizations.push_back({weight, factor("l1"), factor("l2")});
}

std::int64_t ModelBuilder::nextDropoutSeed() {
    constexpr std::uint32_t kPositive = 0x7fffffff;
    const PhiloxBlock drawn =
        philox4x32({m_dropouts++, 0, 0, 0}, {static_cast<std::uint32_t>(m_seed), static_cast<std::uint32_t>(m_seed >> 32)});
    return drawn[0] & kPositive;
}

DType ModelBuilder::computeType(std::string_view policy) const {
    if (m_dtype != DType::F32) return m_dtype;
    return *computeTypeOf(policy.empty() ? std::string_view(m_policy) : policy);
}

Result<Value> ModelBuilder::cast(Value value, DType dtype) {
    const DType given = graph().type(value).dtype;
    if (given == dtype || given == DType::I32) return value;
    const auto known = m_casts.find({value, dtype});
    if (known != m_casts.end()) return known->second;
    const std::string name = fmt::format("{}/{}", graph().node(value.node).name, nameOf(dtype));
    LS_TRY_ASSIGN(const auto id, graph().append(graph::OpKind::Cast, name, {value}, {{"dtype", std::string(nameOf(dtype))}}));
    return m_casts.emplace(std::pair(value, dtype), Value{id, 0}).first->second;
}

Result<Value> ModelBuilder::scalar(const std::string& name) {
    if (const auto found = graph().find(name)) return Value{*found, 0};
    return graph().input(name, {m_dtype, {}});
}

}  // namespace lockstep::nn
