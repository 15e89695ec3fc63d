#include "layer.h"

namespace lockstep::nn {

using graph::OpKind;
using graph::Value;

Result<Value> Layer::append(OpKind op, std::string_view part, std::vector<Value> inputs, graph::Attributes attributes) {
    std::string node = part.empty() ? name() : name() + "/" + std::string(part);
    LS_TRY_ASSIGN(const auto id, m_model.graph().append(op, std::move(node), std::move(inputs), std::move(attributes)));
    return Value{id, 0};
}

Result<Value> Layer::reshape(std::string_view part, Value value, std::vector<std::int64_t> dims) {
    if (shape(value).dims() == dims) return value;
    return append(OpKind::Reshape, part, {value}, {{"shape", std::move(dims)}});
}

Result<Value> Layer::weight(std::string_view part, graph::Shape shape) {
    const std::size_t slash = part.rfind('/');
    return weight(part, std::move(shape), slash == std::string_view::npos ? part : part.substr(slash + 1));
}

Result<void> Layer::take(const std::vector<Value>& inputs) {
    for (const Value input : inputs) {
        LS_TRY_ASSIGN(const Value cast, m_model.cast(input, compute()));
        m_inputs.push_back(cast);
    }
    return {};
}

Result<Value> Layer::weight(std::string_view part, graph::Shape shape, std::string_view setting) {
    LS_TRY_ASSIGN(const Value value, variable(part, std::move(shape), setting));
    return m_model.cast(value, compute());
}

Result<Value> Layer::variable(std::string_view part, graph::Shape shape, std::string_view setting) {
    const std::string prefix(setting);
    const WeightRole role = trains() ? WeightRole::Trained : WeightRole::Frozen;
    LS_TRY_ASSIGN(const Value value, variable(part, std::move(shape), m_settings.named(prefix + "_initializer"), role));
    const Named regularizer = m_settings.named(prefix + "_regularizer");
    if (trains() && !regularizer.name.empty()) m_model.regularise(value, regularizer);
    return value;
}

Result<Value> Layer::variable(std::string_view part, graph::Shape shape, Named initializer, WeightRole role) {
    return m_model.weight(name() + "/" + std::string(part), std::move(shape), std::move(initializer), role);
}

Result<Value> Layer::finish(Value value) {
    if (m_settings.flag("use_bias")) {
        LS_TRY_ASSIGN(const Value bias, weight("bias", {shape(value).back()}));
        LS_TRY_ASSIGN(value, append(OpKind::BiasAdd, "bias_add", {value, bias}));
    }
    return activate(value, m_settings.word("activation"));
}

Error Layer::wrong(std::string what) const { return makeError("S403", {{"op", name()}, {"what", std::move(what)}}); }

Error Layer::notBuilt(const std::string& what, std::string instead) const {
    return makeError(
        "X009",
        {{"what", "Layer " + name() + ": " + what}, {"why", "Keras has it, but this build has not."}, {"next", std::move(instead)}});
}

Error Layer::wrongInput(Value value, std::string_view wanted) const {
    return wrong("its input is " + type(value).toText() + ", but it takes " + std::string(wanted));
}

Result<void> Layer::needRank(Value value, std::size_t rank, std::string_view features) const {
    LS_TRY(needNumbers(value));
    if (shape(value).rank() != rank) return wrongInput(value, features);
    return {};
}

Result<void> Layer::needNumbers(Value value) const {
    if (!graph::isFloat(type(value).dtype)) return wrongInput(value, "numbers; put an embedding before it");
    return {};
}

}  // namespace lockstep::nn
