// The update rules of Keras 3 (optimizers/*.py). Keras rounds some factors to float32 (op.h says which); bias corrections are done in
// double here.
#include "lowering.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace lockstep::exec::cpu {

using graph::NodeId;
using graph::OpKind;

namespace {

double throughFloat(double value) { return static_cast<double>(static_cast<float>(value)); }

double realOf(const graph::Node& node, std::string_view name) { return graph::doubleAttributeOr(node.attributes, name, 0); }

bool hasFlag(const graph::Node& node, std::string_view name) { return graph::intAttributeOr(node.attributes, name, 0) != 0; }

// What Adam and LAMB know about their moments at a step.
struct Corrections {
    double mean, square;  // 1 − βᵗ
    Corrections(double beta1, double beta2, float step)
        : mean(1 - std::pow(throughFloat(beta1), static_cast<double>(step))),
          square(1 - std::pow(throughFloat(beta2), static_cast<double>(step))) {}
};

}  // namespace

UpdateOperands Lowering::UpdatePart::at(Pointers pointers, std::size_t begin) const {
    UpdateOperands on{floats(pointers, weight) + begin, floats(pointers, gradient) + begin, {}, nullptr};
    for (std::size_t i = 0; i < slots.size(); ++i) on.slots[i] = floats(pointers, slots[i]) + begin;
    return on;
}

// The update at `first` and those behind it that differ only in their weight: one step does them all in one pass over their elements.
// Where the gradients are sums over ranks, only updates of one bucket are joined, so that none waits for the bucket of another.
std::vector<NodeId> Lowering::updatesFrom(NodeId first, std::size_t scalars) const {
    const auto& start = m_graph.node(first);
    const auto bucketOf = [this](const graph::Node& update) {
        const NodeId source = update.inputs[1].node;
        return m_graph.node(source).op == OpKind::AllReduce ? std::optional(source) : std::nullopt;
    };
    std::vector<NodeId> found = {first};
    for (std::uint32_t i = first.value + 1; i < m_graph.nodes().size(); ++i) {
        const auto& other = m_graph.nodes()[i];
        if (isSource(other)) continue;
        const bool alike =
            other.op == start.op && other.attributes == start.attributes && other.inputs.size() == start.inputs.size() &&
            std::equal(other.inputs.begin() + 2, other.inputs.begin() + 2 + static_cast<std::ptrdiff_t>(scalars), start.inputs.begin() + 2);
        if (!alike || other.inputs[1].node.value > first.value || bucketOf(other) != bucketOf(start)) break;
        found.push_back(NodeId{i});
    }
    return found;
}

// A norm of all gradients that only people read: the updates by Adam, which are one step, sum the squares on their way through memory.
void Lowering::findNorm() {
    // Updates that may be left out can't make it.
    if (!m_graph.nodesOf(OpKind::UpdateIf).empty()) return;
    for (std::uint32_t i = 0; i < m_graph.nodes().size(); ++i) {
        const auto& squares = m_graph.nodes()[i];
        if (squares.op != OpKind::SquareSum) continue;
        const graph::Node* root = onlyReader({NodeId{i}, 0});
        if (root == nullptr || root->op != OpKind::Sqrt) continue;
        const graph::Value norm{NodeId{m_readers[{NodeId{i}, 0}].front()}, 0};
        if (m_readers.contains(norm)) continue;
        std::set<NodeId> updates;
        for (const graph::Value gradient : squares.inputs)
            for (const std::uint32_t reader : m_readers[gradient])
                if (m_graph.nodes()[reader].op == OpKind::AdamUpdate && m_graph.nodes()[reader].inputs.size() == 6)
                    updates.insert(NodeId{reader});
        if (updates.size() != squares.inputs.size()) continue;
        const auto together = updatesFrom(*updates.begin(), 2);
        if (!std::ranges::equal(together, updates)) continue;
        m_norms.emplace(together.front(), norm);
        m_lowered.insert({NodeId{i}, norm.node});
    }
}

// Inputs of an update are (w, g, scalars…, slots…), its outputs w and the slots.
Lowering::UpdatePart Lowering::bindUpdate(NodeId update, std::size_t scalars) {
    const auto& inputs = m_graph.node(update).inputs;
    const BufferId weight = plain(inputs[0]);
    UpdatePart part{weight, plain(inputs[1]), {weight, weight, weight}, 0, elements(inputs[0]), 0, {}};
    m_places[update.value][0].plain = weight;
    for (std::size_t slot = 2 + scalars; slot < inputs.size(); ++slot) {
        part.slots[slot - 2 - scalars] = plain(inputs[slot]);
        m_places[update.value][slot - 1 - scalars].plain = part.slots[slot - 2 - scalars];
    }
    return part;
}

// prepare(addresses) gives the factors of a step.
template <class Prepare>
void Lowering::emitUpdates(UpdateLoop loop, std::size_t scalars, Prepare prepare) {
    std::vector<UpdatePart> parts;
    std::size_t total = 0;
    bool isShared = false;
    for (const NodeId update : updatesFrom(NodeId{m_at}, scalars)) {
        isShared = isShared || m_shared.contains(m_graph.node(update).inputs[1]);
        m_lowered.insert(update);
        const graph::Value gradient = m_graph.node(update).inputs[1];
        parts.push_back(bindUpdate(update, scalars));
        parts.back().first = total;
        if (m_rowShared.contains(gradient)) parts.back().rowElements = static_cast<std::size_t>(shape(gradient)[1]);
        isShared = isShared || parts.back().rowElements > 0;
        total += parts.back().count;
    }
    const std::size_t threads =
        total < (isShared ? kElementsWorthATeam : kUpdatesWorthATeam) ? 1 : static_cast<std::size_t>(m_team.threads());
    shareUpdates(parts, threads);
    const auto norm = m_norms.find(NodeId{m_at});
    const bool hasNorm = norm != m_norms.end();
    const BufferId length = hasNorm ? definePlain(norm->second) : parts.front().weight;
    const BufferId sums = hasNorm ? workspace(threads * sizeof(double)) : length;
    for (std::size_t scalar = 0; scalar < scalars; ++scalar) plain(input(2 + scalar));
    Step& step = addStep(StepKind::Compute, {length, sums});
    const int index = static_cast<int>(m_plan.steps.size()) - 1;
    for (std::size_t scalar = 0; scalar < scalars; ++scalar) m_plan.buffers.touch(plain(input(2 + scalar)), index);
    for (const UpdatePart& part : parts) m_plan.buffers.touch(part.gradient, index);
    step.run = [=](Pointers p) {
        constexpr std::size_t kRun = 4096;  // squares are summed in float for so long
        const UpdateFactors factors = prepare(p);
        splitRows(threads, total, [&](std::size_t thread, RowRange) {
            double squares = 0;
            for (const UpdatePart& part : parts) {
                const RowRange own = part.ranges[thread];
                for (std::size_t at = own.begin; at < own.end; at += kRun) {
                    const std::size_t count = std::min(kRun, own.end - at);
                    UpdateOperands on = part.at(p, at);
                    if (hasNorm) on.squares = &squares;
                    loop(on, count, factors);
                }
            }
            if (hasNorm) reinterpret_cast<double*>(p[sums])[thread] = squares;
        });
        if (hasNorm) {
            double squares = 0;
            for (std::size_t thread = 0; thread < threads; ++thread) squares += reinterpret_cast<double*>(p[sums])[thread];
            *floats(p, length) = std::sqrt(static_cast<float>(squares));
        }
        return dnnl_success;
    };
}

// For rules whose only scalar is the rate: fill(factors) adds what belongs to the rule.
template <class Fill>
void Lowering::emitRated(UpdateLoop loop, Fill fill) {
    const BufferId rate = plain(input(2));
    const auto decay = static_cast<float>(realOf(node(), "weight_decay"));
    UpdateFactors fixed;
    fill(fixed);
    emitUpdates(loop, 1, [=](Pointers p) {
        UpdateFactors factors = fixed;
        factors.rate = *floats(p, rate);
        factors.decay = decay * factors.rate;
        return factors;
    });
}

void Lowering::lowerSgdUpdate() {
    const bool hasSlot = node().inputs.size() == 4;
    emitRated(hasSlot ? m_loops.update.momentum : m_loops.update.sgd, [this](UpdateFactors& factors) {
        factors.momentum = static_cast<float>(realOf(node(), "momentum"));
        factors.nesterov = hasFlag(node(), "nesterov") ? 1 : 0;
    });
}

void Lowering::lowerRmsPropUpdate() {
    const bool centered = hasFlag(node(), "centered"), moves = realOf(node(), "momentum") != 0;
    const UpdateLoops& loops = m_loops.update;
    const UpdateLoop loop = centered ? (moves ? loops.rmsBoth : loops.rmsCentered) : (moves ? loops.rmsMomentum : loops.rmsProp);
    emitRated(loop, [this](UpdateFactors& factors) {
        factors.exactKeep = realOf(node(), "rho");
        factors.keepSquare = static_cast<float>(factors.exactKeep);
        factors.addSquare = static_cast<float>(1 - factors.exactKeep);
        factors.epsilon = static_cast<float>(realOf(node(), "epsilon"));
        factors.momentum = static_cast<float>(realOf(node(), "momentum"));
    });
}

void Lowering::lowerAdagradUpdate() {
    emitRated(m_loops.update.adagrad, [this](UpdateFactors& factors) { factors.epsilon = static_cast<float>(realOf(node(), "epsilon")); });
}

void Lowering::lowerLionUpdate() {
    emitRated(m_loops.update.lion, [this](UpdateFactors& factors) {
        factors.keepMean = static_cast<float>(realOf(node(), "beta_1"));
        factors.addMean = static_cast<float>(1 - static_cast<double>(factors.keepMean));
        factors.keepSquare = static_cast<float>(realOf(node(), "beta_2"));
        factors.addSquare = static_cast<float>(1 - static_cast<double>(factors.keepSquare));
    });
}

void Lowering::lowerAdamUpdate() {
    const BufferId rate = plain(input(2)), step = plain(input(3));
    const double beta1 = realOf(node(), "beta_1"), beta2 = realOf(node(), "beta_2"), epsilon = realOf(node(), "epsilon");
    const auto decay = static_cast<float>(realOf(node(), "weight_decay"));
    emitUpdates(node().inputs.size() == 7 ? m_loops.update.amsgrad : m_loops.update.adam, 2, [=](Pointers p) {
        const Corrections correction(beta1, beta2, *floats(p, step));
        UpdateFactors factors;
        factors.decay = decay * *floats(p, rate);
        factors.alpha = static_cast<float>(static_cast<double>(*floats(p, rate)) * std::sqrt(correction.square) / correction.mean);
        factors.addMean = static_cast<float>(1 - beta1);
        factors.addSquare = static_cast<float>(1 - beta2);
        factors.epsilon = static_cast<float>(epsilon);
        return factors;
    });
}

// The move is known only when the norms of all of it and of the whole weight are, so it is kept for a moment.
void Lowering::lowerLambUpdate() {
    const BufferId rate = plain(input(2)), step = plain(input(3));
    UpdatePart part = bindUpdate(NodeId{m_at}, 2);
    const BufferId moves = workspace(part.count * sizeof(float));
    part.slots[2] = moves;
    const double beta1 = realOf(node(), "beta_1"), beta2 = realOf(node(), "beta_2");
    const auto decay = static_cast<float>(realOf(node(), "weight_decay")), epsilon = static_cast<float>(realOf(node(), "epsilon"));
    const Loops& loops = m_loops;
    emit({rate, step, part.gradient, moves}, [=, &loops](Pointers p) {
        const Corrections correction(beta1, beta2, *floats(p, step));
        UpdateFactors factors;
        factors.decay = decay * *floats(p, rate);
        factors.addMean = static_cast<float>(1 - beta1);
        factors.addSquare = static_cast<float>(1 - beta2);
        factors.epsilon = epsilon;
        factors.correctMean = static_cast<float>(1 / correction.mean);
        factors.correctSquare = static_cast<float>(1 / correction.square);
        float* const w = floats(p, part.weight);
        loops.update.lambMove(part.at(p, 0), part.count, factors);
        const double weights = loops.pointwise.squareSum(w, part.count), all = loops.pointwise.squareSum(floats(p, moves), part.count);
        const double ratio = weights > 0 && all > 0 ? std::sqrt(weights) / std::sqrt(all) : 1;
        const auto factor = static_cast<float>(-ratio * static_cast<double>(*floats(p, rate)));
        loops.pointwise.addScaled(w, floats(p, moves), w, part.count, factor);
    });
}

void Lowering::lowerAccumulate() {
    const BufferId keep = plain(input(2));
    emitUpdates(m_loops.update.accumulate, 1, [=](Pointers p) {
        UpdateFactors factors;
        factors.momentum = *floats(p, keep);
        return factors;
    });
}

// Moving statistics: a vector per channel, so one thread.
void Lowering::lowerMovingUpdate() {
    const BufferId state = plain(input(0));
    const BufferId value = plain(input(1));
    const bool hasCount = node().inputs.size() == 3;
    const BufferId count = hasCount ? plain(input(2)) : value;
    m_places[m_at][0].plain = state;
    const double momentum = graph::doubleAttribute(node().attributes, "momentum");
    const auto places = static_cast<double>(graph::intAttributeOr(node().attributes, "bessel", 0));
    const std::size_t length = elements(input(0));
    emit({state, value, count}, [=](Pointers p) {
        const double rows = hasCount ? static_cast<double>(*floats(p, count)) : 1;
        if (rows == 0) return;
        const double factor = (1 - momentum) * (places > 0 ? places * rows / std::max(places * rows - 1, 1.0) : 1);
        for (std::size_t i = 0; i < length; ++i) {
            float& kept = floats(p, state)[i];
            kept = static_cast<float>(static_cast<double>(kept) * momentum + static_cast<double>(floats(p, value)[i]) * factor);
        }
    });
}

}  // namespace lockstep::exec::cpu
