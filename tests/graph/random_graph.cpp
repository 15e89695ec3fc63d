#include "random_graph.h"

#include <base/random.h>

#include <fmt/format.h>

namespace lockstep::test {
namespace {

using namespace lockstep::graph;

class Maker {
public:
    explicit Maker(std::uint64_t seed) : m_random(seed, 0) {}

    Graph run() {
        m_dtype = below(2) == 0 ? DType::F32 : DType::F64;
        const std::uint32_t sources = 1 + below(4), steps = 3 + below(25);
        for (std::uint32_t i = 0; i < sources; ++i) addSource(i);
        for (std::uint32_t i = 0; i < steps; ++i) addComputation();
        addAccumulators();
        for (std::uint32_t i = 0; i < steps / 2; ++i) addComputation();
        const std::uint32_t buckets = below(4);
        for (std::uint32_t i = 0; i < buckets; ++i) addAllReduce(i);
        addUpdates();
        for (std::uint32_t i = below(3); i > 0; --i) m_graph.setOutput(fmt::format("out {}", i), pick());
        return std::move(m_graph);
    }

private:
    std::uint32_t below(std::uint32_t bound) { return m_random.nextBelow(bound); }
    Value pick() { return m_readable[below(static_cast<std::uint32_t>(m_readable.size()))]; }

    Shape someShape() {
        std::vector<std::int64_t> dims;
        for (std::uint32_t i = below(5); i > 0; --i) dims.push_back(1 + below(6));
        return Shape(dims);
    }

    void addSource(std::uint32_t i) {
        const TensorType type{m_dtype, i == 0 ? Shape{2, 4, 4, 2} : someShape()};
        if (below(2) == 0)
            m_readable.push_back(m_graph.input(fmt::format("in\t{}", i), type).value());
        else
            m_readable.push_back(m_graph.state(fmt::format("st {}", i), type, below(2) == 0 ? "weight" : "slot").value());
    }

    // Tries an op on a value picked at random; those that don't fit are refused by append() and leave the graph as it was.
    void addComputation() {
        const Value a = pick(), b = pick();
        const Attributes window{{"window", std::vector<std::int64_t>{2, 2}},
                                {"strides", std::vector<std::int64_t>{1, 1 + below(2)}},
                                {"padding", std::string(below(2) == 0 ? "same" : "valid")}};
        switch (below(9)) {
            case 0: return add(OpKind::Relu, {a});
            case 1: return add(OpKind::Add, {a, a});
            case 2: return add(OpKind::ReluGrad, {a, b});
            case 3: return add(OpKind::MatMul, {a, b}, {{"transpose_a", std::int64_t{below(2)}}, {"transpose_b", std::int64_t{below(2)}}});
            case 4: return add(OpKind::Reshape, {a}, {{"shape", std::vector<std::int64_t>{m_graph.type(a).shape.elements(), 1}}});
            case 5: return add(OpKind::BiasGrad, {a});
            case 6: return add(OpKind::MaxPool2D, {a}, window);
            case 7: return add(OpKind::SquareSum, {a, b, a});
            default: return add(OpKind::BiasAdd, {a, b});
        }
    }

    void add(OpKind op, std::vector<Value> inputs, Attributes attributes = {}) {
        auto id = m_graph.append(op, "node", std::move(inputs), std::move(attributes));
        if (id.ok()) m_readable.push_back({*id, 0});
    }

    void addAllReduce(std::uint32_t bucket) {
        std::vector<Value> inputs;
        for (std::uint32_t i = 1 + below(3); i > 0; --i) {
            inputs.push_back({m_graph.append(OpKind::Relu, "gradient", {pick()}).value(), 0});
        }
        const auto count = static_cast<std::uint32_t>(inputs.size());
        const NodeId id = m_graph.append(OpKind::AllReduce, "sum", std::move(inputs), {{"bucket", std::int64_t{bucket}}}).value();
        for (std::uint32_t i = 0; i < count; ++i) {
            if (below(4) != 0) m_readable.push_back({id, i});
        }
    }

    // In place, but read afterwards: their outputs become readable, their States are no longer.
    void addAccumulators() {
        const Value keep = m_graph.input("keep", {m_dtype, {}}).value();
        for (std::uint32_t i = below(3); i > 0; --i) {
            const Value value{m_graph.append(OpKind::Relu, "value", {pick()}).value(), 0};
            const Value sum = m_graph.state(fmt::format("sum{}", i), m_graph.type(value), "slot").value();
            const Value mean = m_graph.state(fmt::format("mean{}", i), m_graph.type(value), "statistic").value();
            add(OpKind::Accumulate, {sum, value, keep});
            add(OpKind::MovingUpdate, {mean, value}, {{"momentum", m_random.nextDouble()}});
        }
    }

    void addUpdates() {
        const Value lr = m_graph.input("lr", {m_dtype, {}}).value();
        for (std::uint32_t i = below(3); i > 0; --i) {
            const TensorType type = m_graph.type(pick());
            const Value w = m_graph.state(fmt::format("w{}", i), type, "weight").value();
            const Value gradient{m_graph.append(OpKind::Relu, "g", {w}).value(), 0};
            std::vector<Value> inputs = {w, gradient, lr};
            const bool slot = below(2) == 0;
            if (slot) inputs.push_back(m_graph.state(fmt::format("w{}/momentum", i), type, "slot").value());
            const Attributes attributes{{"momentum", slot ? m_random.nextDouble() : 0.0}, {"nesterov", std::int64_t{below(2)}}};
            m_graph.append(OpKind::SgdUpdate, "update", std::move(inputs), attributes).value();
        }
    }

    Philox m_random;
    DType m_dtype = DType::F32;
    Graph m_graph;
    std::vector<Value> m_readable;
};

}  // namespace

graph::Graph randomGraph(std::uint64_t seed) { return Maker(seed).run(); }

}  // namespace lockstep::test
