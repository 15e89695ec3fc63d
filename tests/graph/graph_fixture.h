#pragma once

#include <graph/graph.h>

#include <utility>
#include <vector>

namespace lockstep::test {

using namespace lockstep::graph;

// An input, a state, a gradient to be, and short ways to add nodes.
struct Fixture {
    Graph g;
    TensorType type{DType::F32, {4}};
    Value x = g.input("x", type).value();
    Value lr = g.input("lr", {DType::F32, {}}).value();
    Value w = g.state("w", type, "weight").value();
    Value gradient = add(OpKind::Relu, {x});

    Value add(OpKind op, std::vector<Value> inputs, Attributes attributes = {}) {
        return {g.append(op, "n", std::move(inputs), std::move(attributes)).value(), 0};
    }
    Value update(Value state, Value by) {
        return add(OpKind::SgdUpdate, {state, by, lr}, {{"momentum", 0.0}, {"nesterov", std::int64_t{0}}});
    }
    Value reduce(std::vector<Value> values, std::int64_t bucket) { return add(OpKind::AllReduce, std::move(values), {{"bucket", bucket}}); }
    Value flat(Value value) { return add(OpKind::Reshape, {value}, {{"shape", std::vector<std::int64_t>{2, 2}}}); }
};

}  // namespace lockstep::test
