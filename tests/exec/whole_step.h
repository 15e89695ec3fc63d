// A whole training step on an executor, and how far its numbers are from another one's.
#pragma once

#include <QString>

#include <base/random.h>
#include <exec/executor.h>

#include <cmath>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace lockstep::test {

using Numbers = std::map<std::string, std::vector<float>>;

inline std::vector<float> random(std::size_t count, std::uint64_t seed) {
    Philox generator(seed, 0);
    std::vector<float> values(count);
    for (float& value : values) value = static_cast<float>(generator.nextDouble() - 0.5);
    return values;
}

inline std::vector<float> toFloats(std::span<const std::byte> bytes) {
    std::vector<float> values(bytes.size() / sizeof(float));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
}

// Two steps (the second finds the memory as the first left it), then all outputs and all States.
inline Result<Numbers> outputsOf(exec::Executor& executor, const graph::Graph& graph, float count, int threads, std::size_t guardBytes) {
    exec::CompileOptions options;
    options.threads = threads;
    options.guardBytes = guardBytes;
    LS_TRY_ASSIGN(const auto program, executor.compile(graph, options));
    const auto states = graph.nodesOf(graph::OpKind::State);
    for (std::size_t i = 0; i < states.size(); ++i) {
        if (graph::textAttribute(graph.node(states[i]).attributes, "role") == "slot") continue;
        const auto values = random(static_cast<std::size_t>(graph.node(states[i]).outputs[0].shape.elements()), i);
        program->writeState(i, std::as_bytes(std::span(values)));
    }
    const auto rows = static_cast<std::size_t>(graph.node(*graph.find("labels")).outputs[0].shape[0]);
    const auto x = random(static_cast<std::size_t>(graph.node(*graph.find("x")).outputs[0].shape.elements()), 99);
    std::vector<std::int32_t> labels(rows);
    std::vector<float> weights(rows);
    for (std::size_t i = 0; i < rows; ++i) {
        labels[i] = static_cast<std::int32_t>(i % 5);
        weights[i] = static_cast<float>(i) < count ? 1 / count : 0.0F;
    }
    const auto at = [](const void* data) { return static_cast<const std::byte*>(data); };
    const float rate = 0.01F;
    float number = 1;
    std::vector<const std::byte*> feeds;
    for (const auto id : graph.nodesOf(graph::OpKind::Input)) {
        const std::map<std::string, const void*> byName = {{"x", x.data()},   {"labels", labels.data()}, {"weights", weights.data()},
                                                           {"count", &count}, {"learning_rate", &rate},  {"step", &number}};
        feeds.push_back(at(byName.at(graph.node(id).name)));
    }
    for (; number <= 2; ++number) LS_TRY(program->run({feeds}));
    Numbers found;
    for (const auto& [name, value] : graph.outputs()) found.emplace(name, toFloats(program->output(name)));
    for (std::size_t i = 0; i < states.size(); ++i) {
        auto& values = found["state " + graph.node(states[i]).name];
        values.resize(static_cast<std::size_t>(graph.node(states[i]).outputs[0].shape.elements()));
        program->readState(i, std::as_writable_bytes(std::span(values)));
    }
    if (!program->intact()) return makeError("X001", {{"what", "a guard was overwritten"}});
    return found;
}

// The first output that is off by more than a few roundings; empty when none is.
inline QString differenceOf(const Numbers& expected, const Numbers& found) {
    for (const auto& [name, values] : expected) {
        double difference = 0, size = 0;
        const auto& mine = found.at(name);
        for (std::size_t i = 0; i < values.size(); ++i) {
            difference += std::pow(static_cast<double>(mine[i]) - static_cast<double>(values[i]), 2);
            size += std::pow(static_cast<double>(values[i]), 2);
        }
        if (!(std::sqrt(difference) <= 2e-5 * std::sqrt(size) + 1e-7))
            return QString("%1: %2 of %3").arg(name.c_str()).arg(std::sqrt(difference)).arg(std::sqrt(size));
    }
    return {};
}

}  // namespace lockstep::test
