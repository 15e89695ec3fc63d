#include "states.h"

#include <base/checksum.h>

#include <algorithm>
#include <cstring>

namespace lockstep::train {
namespace {

// Moving statistics are weights that nothing trains. Slots stand behind all of them, so weights keep the order of the model's.
bool isWeight(const graph::Node& node) { return graph::textAttribute(node.attributes, "role") != "slot"; }

bool ofAccumulation(const graph::Node& node) { return node.name.ends_with("/gradient_accumulator") || node.name.ends_with("/rank_part"); }

void fillSlot(std::span<std::byte> bytes, graph::DType dtype, double start) {
    ScalarFeed value(dtype);
    value.set(start);
    for (std::size_t at = 0; at < bytes.size(); at += graph::sizeOf(dtype))
        std::memcpy(bytes.data() + at, value.bytes(), graph::sizeOf(dtype));
}

std::string describe(const graph::TensorType& type) { return std::string(graph::nameOf(type.dtype)) + " " + type.shape.toText(); }

}  // namespace

Result<void> writeInitialStates(StepProgram& step, const RankOptions& options) {
    const auto& given = options.initialWeights;
    const auto& weights = step.model.weights;
    if (!given.empty() && given.size() != weights.size())
        return makeError("S413", {{"what", std::to_string(given.size()) + " weights for " + std::to_string(weights.size())}});
    std::size_t weight = 0;
    for (std::size_t i = 0; i < step.states.size(); ++i) {
        const graph::Node& node = step.graph.node(step.states[i]);
        std::vector<std::byte> value(node.outputs[0].bytes());
        if (isWeight(node)) {
            if (given.empty())
                value = nn::initialValue(weights[weight], options.seed, weight);
            else if (given[weight].size() == value.size())
                value = given[weight];
            else
                return makeError(
                    "S413", {{"what", std::to_string(given[weight].size()) + " bytes for " + node.name + " " + describe(node.outputs[0])}});
            ++weight;
        } else {
            // Sums of an accumulation start at zero whatever the optimizer's start with.
            fillSlot(value, node.outputs[0].dtype, ofAccumulation(node) ? 0 : nn::slotStart(options.optimizer, node.name));
        }
        step.program->writeState(i, value);
    }
    return {};
}

std::vector<StateTensor> stateTensors(const StepProgram& step) {
    std::vector<StateTensor> tensors;
    for (const graph::NodeId id : step.states) {
        const graph::Node& node = step.graph.node(id);
        tensors.push_back({node.name, std::string(graph::textAttribute(node.attributes, "role")), node.outputs[0],
                           std::vector<std::byte>(node.outputs[0].bytes())});
    }
    for (const auto* beside : {&step.averages, &step.best}) tensors.insert(tensors.end(), beside->begin(), beside->end());
    return tensors;
}

void readStates(const StepProgram& step, std::vector<StateTensor>& tensors) {
    std::size_t next = 0;
    for (; next < step.states.size(); ++next) step.program->readState(next, tensors[next].bytes);
    for (const auto* beside : {&step.averages, &step.best})
        for (const StateTensor& tensor : *beside) std::ranges::copy(tensor.bytes, tensors[next++].bytes.begin());
}

void storeStates(StepProgram& step, const std::vector<StateTensor>& tensors) {
    std::size_t next = 0;
    for (; next < step.states.size(); ++next) step.program->writeState(next, tensors[next].bytes);
    for (auto* beside : {&step.averages, &step.best})
        for (StateTensor& tensor : *beside) tensor.bytes = tensors[next++].bytes;
}

Result<void> writeStates(StepProgram& step, const std::vector<StateTensor>& tensors, const std::string& checkpoint) {
    const auto misfit = [&](const std::string& what) { return makeError("C703", {{"checkpoint", checkpoint}, {"what", what}}); };
    const auto wanted = stateTensors(step);
    if (tensors.size() != wanted.size())
        return misfit("it has " + std::to_string(tensors.size()) + " tensors, the program " + std::to_string(wanted.size()));
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        if (tensors[i].name != wanted[i].name || tensors[i].type != wanted[i].type)
            return misfit("it has " + tensors[i].name + " " + describe(tensors[i].type) + " where the program has " + wanted[i].name + " " +
                          describe(wanted[i].type));
    }
    storeStates(step, tensors);
    return {};
}

std::size_t largestState(const StepProgram& step) {
    std::size_t largest = 0;
    for (const graph::NodeId id : step.states) largest = std::max(largest, step.graph.node(id).outputs[0].bytes());
    return largest;
}

std::vector<StateTensor> bestOf(const StepProgram& step) {
    std::vector<StateTensor> best;
    for (const graph::NodeId id : step.states) {
        const graph::Node& node = step.graph.node(id);
        if (isWeight(node)) best.push_back({node.name + "/best", "slot", node.outputs[0], std::vector<std::byte>(node.outputs[0].bytes())});
    }
    return best;
}

void readBest(StepProgram& step) {
    std::size_t next = 0;
    for (std::size_t i = 0; next < step.best.size(); ++i)
        if (isWeight(step.graph.node(step.states[i]))) step.program->readState(i, step.best[next++].bytes);
}

void writeBest(StepProgram& step) {
    std::size_t next = 0;
    for (std::size_t i = 0; next < step.best.size(); ++i)
        if (isWeight(step.graph.node(step.states[i]))) step.program->writeState(i, step.best[next++].bytes);
}

std::string weightsHashOf(const StepProgram& step) {
    Sha256 all;
    std::vector<std::byte> one(largestState(step));
    for (std::size_t i = 0; i < step.states.size(); ++i) {
        const graph::Node& node = step.graph.node(step.states[i]);
        if (!isWeight(node)) continue;
        const std::span<std::byte> value = std::span(one).first(node.outputs[0].bytes());
        step.program->readState(i, value);
        all.add(value);
    }
    return toHex(all.finish());
}

}  // namespace lockstep::train
