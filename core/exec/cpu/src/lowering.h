// From a graph to a Plan: walks the nodes in order and emits the steps of each, choosing layouts on the way.
//
// Every value has a plain form (the graph's layout) or a native form (what oneDNN wrote), and gets the other one by a reorder in front
// of the first step that needs it; a reorder is made once per run. dnnl::error may escape: the executor turns it into an Error.
#pragma once

#include "layouts.h"
#include "loops.h"
#include "primitive_call.h"
#include "steps.h"
#include "team.h"

#include <exec/executor.h>

#include <map>
#include <optional>
#include <set>

namespace lockstep::exec::cpu {

class Lowering {
public:
    Lowering(const graph::Graph& graph, const Team& team, const Loops& loops);
    Plan run();

    // The node being lowered, for error texts.
    const graph::Node& node() const { return m_graph.nodes()[m_at]; }

private:
    struct Layout {
        dnnl::memory::desc desc;
        BufferId buffer = 0;
    };
    struct Places {
        std::optional<BufferId> plain;
        std::optional<Layout> native;
        std::vector<Layout> copies;
    };
    struct FilterGradPair {  // a filter gradient and the bias gradient of the same dy: one primitive makes both
        graph::NodeId filterGrad;
        graph::NodeId biasGrad;
    };

    // lowering.cpp: values, layouts, steps
    void lowerNode();
    void findPairs();
    void lowerSource();
    void finish();
    graph::Value result(std::uint32_t output = 0) const { return {graph::NodeId{m_at}, output}; }
    graph::Value input(std::size_t index) const { return node().inputs[index]; }
    const graph::Shape& shape(graph::Value value) const { return m_graph.type(value).shape; }
    std::size_t elements(graph::Value value) const { return static_cast<std::size_t>(shape(value).elements()); }
    int threadsFor(double flops) const { return flops < kFlopsWorthATeam ? 1 : m_team.threads(); }
    void awaitIfReduced(graph::Value value);
    BufferId plain(graph::Value value);                                                  // to read, in the graph's layout
    BufferId as(graph::Value value, const dnnl::memory::desc& wanted, Meaning meaning);  // to read, in this layout
    dnnl::memory::desc layoutOf(graph::Value value);                                     // native if there is one; pictures only
    BufferId definePlain(graph::Value value);                                            // to write, in the graph's layout
    BufferId define(graph::Value value, const dnnl::memory::desc& desc, Meaning meaning);
    void emitReorder(const dnnl::memory::desc& from, BufferId source, const dnnl::memory::desc& to, BufferId target);
    BufferId workspace(std::size_t bytes) { return m_plan.buffers.add(bytes, Category::Workspace, Lifetime::Steps); }
    void emitPrimitive(const dnnl::primitive& primitive, const dnnl::memory::desc& scratchpad, std::vector<Argument> arguments);
    Step& addStep(StepKind kind, std::initializer_list<BufferId> touched);
    template <class Body>
    void emit(std::initializer_list<BufferId> touched, Body body) {
        addStep(StepKind::Compute, touched).run = [body](Pointers pointers) {
            body(pointers);
            return dnnl_success;
        };
    }

    // lower_matmul.cpp
    void lowerMatMul();
    void emitGemm(BufferId a, BufferId b, BufferId out);
    void emitFusedProduct(BufferId a, BufferId b, BufferId out);

    // lower_conv.cpp
    void lowerConv2D();
    void lowerConv2DInputGrad();
    void lowerConv2DFilterGrad(graph::NodeId filterGrad, std::optional<graph::NodeId> biasGrad);

    // lower_pool.cpp
    struct PoolPlan {
        dnnl::pooling_forward::primitive_desc forward;
        Layout x, y;
        BufferId workspace = 0;
    };
    enum class Purpose : std::uint8_t { Inference, Training, Places };  // Places: only where the maxima are
    PoolPlan emitPooling(graph::Value x, graph::Value y, Purpose purpose);
    void lowerMaxPool2D();
    void lowerMaxPool2DGrad();

    // lower_pointwise.cpp
    void lowerUnary();
    void lowerBinary();
    void lowerBiasAdd();
    void lowerBiasGrad();
    void lowerReshape();
    void lowerSquareSum();
    void lowerSqrt();
    void lowerSoftmax();
    void lowerCorrect();

    // lower_update.cpp
    void placeBuckets();
    void lowerAllReduce();
    void lowerSgdUpdate();
    void lowerAdamUpdate();

    const graph::Graph& m_graph;
    const Team& m_team;
    const Loops& m_loops;
    Device m_device;
    Plan m_plan;
    std::uint32_t m_at = 0;
    std::vector<std::vector<Places>> m_places;           // by node, output
    std::map<graph::NodeId, FilterGradPair> m_pairs;     // by either node of the pair
    std::map<graph::NodeId, graph::NodeId> m_lossGrads;  // SoftmaxCrossEntropy → its gradient: one pass makes both
    std::set<graph::NodeId> m_lowered;                   // nodes another node's step already made
    std::map<graph::NodeId, PoolPlan> m_pools;           // MaxPool2D nodes whose gradient follows
    std::map<graph::Value, BufferId> m_bucketParts;      // gradients written straight into their bucket
    std::map<graph::NodeId, BufferId> m_buckets;         // AllReduce → its memory
    std::set<graph::NodeId> m_unawaited;                 // started buckets
    std::set<graph::Value> m_gradients;                  // values that updates read
};

// Addresses of float32 buffers inside a step.
inline float* floats(Pointers pointers, BufferId id) { return reinterpret_cast<float*>(pointers[id]); }

}  // namespace lockstep::exec::cpu
