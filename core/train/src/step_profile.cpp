#include "step_profile.h"

#include <algorithm>
#include <map>

namespace lockstep::train {
namespace {

using graph::Node;
using graph::OpKind;

bool isSource(const Node& node) { return node.op == OpKind::Input || node.op == OpKind::State; }

// Rows of nodes that have one, by the node's name.
class Rows {
public:
    explicit Rows(const StepProgram& step) : m_graph(step.graph) {
        for (const exec::OpTime& time : step.program->times()) {
            const auto [place, isNew] = m_places.emplace(time.name, m_profile.ops.size());
            if (isNew) m_profile.ops.push_back({time.name, time.name, time.calls, 0, 0, 0});
            m_profile.ops[place->second].seconds += time.seconds;  // several steps of one node
        }
    }

    StepProfile take() {
        for (const Node& node : m_graph.nodes())
            if (OpProfile* row = find(node)) row->op = graph::opRow(node.op).name;
        nameFilterGradients();
        for (const Node& node : m_graph.nodes()) addCost(node);
        return std::move(m_profile);
    }

private:
    OpProfile* find(const Node& node) {
        const auto place = m_places.find(node.name);
        return place == m_places.end() ? nullptr : &m_profile.ops[place->second];
    }

    // A filter gradient made together with the bias gradient of the same dy is the work of that step.
    void nameFilterGradients() {
        std::map<graph::Value, const Node*> alone;
        for (const Node& node : m_graph.nodes())
            if (node.op == OpKind::Conv2DFilterGrad && find(node) == nullptr) alone.emplace(node.inputs[1], &node);
        for (const Node& node : m_graph.nodes()) {
            const auto partner = node.op == OpKind::BiasGrad ? alone.find(node.inputs[0]) : alone.end();
            OpProfile* row = find(node);
            if (partner == alone.end() || row == nullptr) continue;
            m_places[partner->second->name] = m_places[node.name];
            row->name = partner->second->name;
            row->op = graph::opRow(OpKind::Conv2DFilterGrad).name;
        }
    }

    // Of a node without a row: to the last row of its kind, which did it, too.
    void addCost(const Node& node) {
        if (isSource(node)) return;
        OpProfile* row = find(node);
        if (row == nullptr) {
            const auto last = m_last.find(node.op);
            if (last == m_last.end()) return;
            row = &m_profile.ops[last->second];
        } else {
            m_last[node.op] = m_places[node.name];
        }
        const graph::OpCost cost = graph::costOf(m_graph, node);
        row->flops += cost.flops;
        row->bytes += cost.bytes;
    }

    const graph::Graph& m_graph;
    StepProfile m_profile;
    std::map<std::string, std::size_t, std::less<>> m_places;
    std::map<OpKind, std::size_t> m_last;
};

}  // namespace

StepProfile profileOf(const StepProgram& step) { return Rows(step).take(); }

}  // namespace lockstep::train
