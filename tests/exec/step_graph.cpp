#include "step_graph.h"

namespace lockstep::exec {

using graph::OpKind;
using graph::Shape;
using graph::Value;

namespace {

class Builder {
public:
    explicit Builder(graph::DType dtype) : m_dtype(dtype) {}

    Result<Value> add(OpKind op, std::vector<Value> inputs, graph::Attributes attributes = {}) {
        LS_TRY_ASSIGN(const graph::NodeId node,
                      graph.append(op, std::string(graph::opRow(op).name), std::move(inputs), std::move(attributes)));
        return Value{node, 0};
    }
    Result<Value> input(const std::string& name, const Shape& shape) { return graph.input(name, {m_dtype, shape}); }
    Result<Value> state(const std::string& name, const Shape& shape, const std::string& role) {
        return graph.state(name, {m_dtype, shape}, role);
    }
    // The values themselves, or their sums over the ranks.
    Result<std::vector<Value>> sums(const std::vector<Value>& values, std::int64_t bucket, bool allReduce) {
        if (!allReduce) return values;
        LS_TRY_ASSIGN(const Value first, add(OpKind::AllReduce, values, {{"bucket", bucket}}));
        std::vector<Value> all;
        for (std::uint32_t i = 0; i < values.size(); ++i) all.push_back({first.node, i});
        return all;
    }

    graph::Graph graph;

private:
    graph::DType m_dtype;
};

}  // namespace

Result<graph::Graph> stepGraph(const StepGraphOptions& options) {
    Builder build(options.dtype);
    LS_TRY_ASSIGN(const Value x, build.input("x", {4, 3}));
    LS_TRY_ASSIGN(const Value labels, build.graph.input("labels", {graph::DType::I32, {4}}));
    LS_TRY_ASSIGN(const Value weights, build.input("weights", {4}));
    LS_TRY_ASSIGN(const Value rate, build.input("learning_rate", {}));
    LS_TRY_ASSIGN(const Value step, build.input("step", {}));
    LS_TRY_ASSIGN(const Value w, build.state("w", {3, 2}, "weight"));
    LS_TRY_ASSIGN(const Value b, build.state("b", {2}, "weight"));
    LS_TRY_ASSIGN(const Value m, build.state("w/m", {3, 2}, "slot"));
    LS_TRY_ASSIGN(const Value v, build.state("w/v", {3, 2}, "slot"));
    LS_TRY_ASSIGN(const Value speed, build.state("b/momentum", {2}, "slot"));
    LS_TRY_ASSIGN(const Value logits, build.add(OpKind::MatMul, {x, w, b}));
    LS_TRY_ASSIGN(const Value loss, build.add(OpKind::SoftmaxCrossEntropy, {logits, labels, weights}));
    LS_TRY_ASSIGN(const Value dz, build.add(OpKind::SoftmaxCrossEntropyGrad, {logits, labels, weights}));
    LS_TRY_ASSIGN(const Value db, build.add(OpKind::BiasGrad, {dz}));
    LS_TRY_ASSIGN(const Value dw, build.add(OpKind::MatMul, {x, dz}, {{"transpose_a", std::int64_t{1}}}));
    LS_TRY_ASSIGN(const auto gradients, build.sums({db, dw}, 0, options.allReduce));
    LS_TRY_ASSIGN(const auto losses, build.sums({loss}, 1, options.allReduce));
    LS_TRY_ASSIGN(const Value flat, build.add(OpKind::Reshape, {dz}, {{"shape", std::vector<std::int64_t>{8}}}));
    LS_TRY_ASSIGN(const auto flats, build.sums({flat}, 2, options.allReduce));
    LS_TRY(build.add(OpKind::AdamUpdate, {w, gradients[1], rate, step, m, v}, {{"beta_1", 0.9}, {"beta_2", 0.999}, {"epsilon", 1e-7}}));
    LS_TRY(build.add(OpKind::SgdUpdate, {b, gradients[0], rate, speed}, {{"momentum", 0.9}, {"nesterov", std::int64_t{1}}}));
    build.graph.setOutput("loss", losses[0]);
    build.graph.setOutput("gradient", flats[0]);
    return std::move(build.graph);
}

}  // namespace lockstep::exec
