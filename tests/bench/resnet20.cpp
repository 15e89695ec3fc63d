#include "resnet20.h"

#include <string>

namespace lockstep::bench {
namespace {

using graph::Attributes;
using graph::DType;
using graph::OpKind;
using graph::Shape;
using graph::Value;

using Dims = std::vector<std::int64_t>;

class Builder {
public:
    Result<graph::Graph> run(std::int64_t rows) {
        LS_TRY_ASSIGN(const Value x, m_graph.input("x", {DType::F32, {rows, 32, 32, 3}}));
        LS_TRY_ASSIGN(const Value labels, m_graph.input("labels", {DType::I32, {rows}}));
        LS_TRY_ASSIGN(const Value weights, m_graph.input("weights", {DType::F32, {rows}}));
        LS_TRY_ASSIGN(m_count, m_graph.input("count", {DType::F32, {}}));
        LS_TRY_ASSIGN(Value y, convolution(x, 3, 16, 1));
        LS_TRY_ASSIGN(y, normalise(y));
        LS_TRY_ASSIGN(y, add(OpKind::Relu, {y}));
        for (std::int64_t width = 16; width <= 64; width *= 2)
            for (int block = 0; block < 3; ++block) {
                LS_TRY_ASSIGN(y, residual(y, width, width > 16 && block == 0 ? 2 : 1));
            }
        LS_TRY_ASSIGN(y, add(OpKind::AvgPool2D, {y}, {{"window", Dims{8, 8}}, {"strides", Dims{8, 8}}, {"padding", std::string("valid")}}));
        LS_TRY_ASSIGN(y, add(OpKind::Reshape, {y}, {{"shape", Dims{rows, 64}}}));
        LS_TRY_ASSIGN(const Value kernel, state({64, 10}));
        LS_TRY_ASSIGN(const Value bias, state({10}));
        LS_TRY_ASSIGN(y, add(OpKind::MatMul, {y, kernel}));
        LS_TRY_ASSIGN(y, add(OpKind::BiasAdd, {y, bias}));
        LS_TRY_ASSIGN(const Value loss, add(OpKind::SoftmaxCrossEntropy, {y, labels, weights}));
        LS_TRY_ASSIGN(const Value correct, add(OpKind::CorrectPredictions, {y, labels, weights}));
        m_graph.setOutput("logits", y);
        m_graph.setOutput("loss", loss);
        m_graph.setOutput("correct", correct);
        return std::move(m_graph);
    }

private:
    Result<Value> add(OpKind op, std::vector<Value> inputs, Attributes attributes = {}) {
        const std::string name = std::string(graph::opRow(op).name) + "_" + std::to_string(m_next++);
        LS_TRY_ASSIGN(const auto node, m_graph.append(op, name, std::move(inputs), std::move(attributes)));
        return Value{node, 0};
    }
    Result<Value> state(Shape shape) { return m_graph.state("w" + std::to_string(m_next++), {DType::F32, std::move(shape)}, "weight"); }

    Result<Value> convolution(Value x, std::int64_t size, std::int64_t width, std::int64_t stride) {
        LS_TRY_ASSIGN(const Value kernel, state({size, size, m_graph.type(x).shape[3], width}));
        return add(OpKind::Conv2D, {x, kernel}, {{"strides", Dims{stride, stride}}, {"padding", std::string("same")}});
    }
    Result<Value> normalise(Value x) {
        const std::int64_t channels = m_graph.type(x).shape[3];
        LS_TRY_ASSIGN(const Value gamma, state({channels}));
        LS_TRY_ASSIGN(const Value beta, state({channels}));
        LS_TRY_ASSIGN(const Value mean, add(OpKind::BatchMoments, {x, m_count}));
        return add(OpKind::BatchNormalize, {x, mean, {mean.node, 1}, gamma, beta}, {{"epsilon", 1e-3}});
    }
    Result<Value> residual(Value x, std::int64_t width, std::int64_t stride) {
        LS_TRY_ASSIGN(Value y, convolution(x, 3, width, stride));
        LS_TRY_ASSIGN(y, normalise(y));
        LS_TRY_ASSIGN(y, add(OpKind::Relu, {y}));
        LS_TRY_ASSIGN(y, convolution(y, 3, width, 1));
        LS_TRY_ASSIGN(y, normalise(y));
        Value shortcut = x;
        if (stride > 1) {
            LS_TRY_ASSIGN(shortcut, convolution(x, 1, width, stride));
            LS_TRY_ASSIGN(shortcut, normalise(shortcut));
        }
        LS_TRY_ASSIGN(y, add(OpKind::Add, {y, shortcut}));
        return add(OpKind::Relu, {y});
    }

    graph::Graph m_graph;
    Value m_count;
    int m_next = 0;
};

}  // namespace

Result<graph::Graph> resnet20(std::int64_t rows) { return Builder().run(rows); }

}  // namespace lockstep::bench
