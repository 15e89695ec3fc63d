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

#include <array>
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
    void lowerOther();
    void findPairs();
    void findSums();
    void findReaders();
    const graph::Node* onlyReader(graph::Value value) const;  // none when the graph gives the value out, too
    void lowerSource();
    void finish();
    graph::Value result(std::uint32_t output = 0) const { return {graph::NodeId{m_at}, output}; }
    graph::Value input(std::size_t index) const { return node().inputs[index]; }
    const graph::Shape& shape(graph::Value value) const { return m_graph.type(value).shape; }
    std::size_t elements(graph::Value value) const { return static_cast<std::size_t>(shape(value).elements()); }
    int threadsFor(double flops) const { return flops < kFlopsWorthATeam ? 1 : m_team.threads(); }
    void awaitIfReduced(graph::Value value);
    bool isNarrow(graph::Value value) const { return graph::is16Bit(m_graph.type(value).dtype); }
    BufferId plain(graph::Value value);                                            // to read, in the graph's layout
    BufferId as(graph::Value value, const dnnl::memory::desc& wanted, Form form);  // to read, in this layout
    dnnl::memory::desc layoutOf(graph::Value value);                               // of float32, native if there is one; pictures only
    dnnl::memory::desc elementLayoutOf(graph::Value value);                        // likewise, with the elements of elementOf()
    // What kernels that have bfloat16 forms keep the value's elements as.
    Element elementOf(graph::Value value) const;
    void markUnrounded(graph::Value value, const dnnl::memory::desc& desc, BufferId buffer);
    BufferId definePlain(graph::Value value);  // to write, in the graph's layout
    BufferId define(graph::Value value, const dnnl::memory::desc& desc, Form form);
    // To write a picture, over that of the operands (with its buffer in this layout) that nothing reads after this node, if there is one.
    BufferId defineOver(std::initializer_list<std::pair<graph::Value, BufferId>> candidates, graph::Value value,
                        const dnnl::memory::desc& desc);
    bool mayOverwrite(graph::Value value) const;
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

    // lower_precision.cpp: a value of a 16-bit type lies in memory as the float32 that it is, rounded behind the step that made it, and
    // has 16 bits only where it comes in and goes out. Where the processor multiplies bfloat16, pictures between kernels that know
    // it and the operands of products lie in memory as bfloat16.
    const NarrowLoops& narrowLoops(graph::DType dtype) const;
    void lowerNarrowSource(BufferId bits);
    BufferId narrowed(graph::Value value);
    void roundResults();
    void lowerCast();
    void lowerNarrowing();

    // lower_matmul.cpp
    void lowerMatMul();
    void lowerBatchMatMul();
    void emitGemm(BufferId a, BufferId b, BufferId out);
    void emitFusedProduct(BufferId a, BufferId b, BufferId out);

    // lower_row_shares.cpp
    bool sharesRows(std::int64_t batch, std::int64_t rows, std::int64_t columns) const;
    bool isUpdatedHere(graph::Value gradient) const;
    void emitSharedProduct(BufferId a, BufferId b, std::optional<BufferId> bias, BufferId out, bool rectify);
    void emitSharedGradient(BufferId a, BufferId b, BufferId out);

    // lower_conv.cpp
    void lowerConv2D();
    void lowerConv2DInputGrad();
    void lowerConv2DFilterGrad(graph::NodeId filterGrad, std::optional<graph::NodeId> biasGrad);

    // lower_pool.cpp
    struct NormTensor;
    NormTensor floatTensorOf(graph::Value x);
    void lowerMaxPool2D();
    void lowerMaxPool2DGrad();
    Element averageElement(graph::Value value) const;
    void lowerAvgPool2D();
    void lowerAvgPool2DGrad();

    // lower_pointwise.cpp
    struct Elementwise {  // operands and result in one layout, padding included
        BufferId left = 0, right = 0, target = 0;
        std::size_t count = 0;
    };
    Elementwise elementwise(graph::Value left, graph::Value right, Element element = Element::f32);
    bool lowerBfloat16Pointwise();
    template <class FactorOf>
    void emitUnary(UnaryLoop loop, std::initializer_list<BufferId> alsoRead, FactorOf factorOf);
    void emitUnary(UnaryLoop loop, double factor = 0);
    void emitBinary(BinaryLoop loop, double factor = 0);
    void lowerMulScalar();
    void lowerDivScalar();
    void lowerClipByNorm();
    void lowerBiasAdd();
    void lowerBiasGrad();
    void lowerReshape();
    void lowerSum(double (*sum)(const float* x, std::size_t n));
    void lowerSqrt();

    // lower_loss.cpp
    void lowerSoftmax();
    void lowerCorrect();
    void lowerTargetLoss();
    void lowerConfusionCounts();
    void lowerTargetLossGrad(graph::OpKind loss);

    // lower_activation.cpp
    void lowerActivate();
    void lowerActivateGrad();
    void lowerSoftmaxForward();
    void lowerSoftmaxGrad();

    // lower_rows.cpp
    std::size_t partsOf(std::size_t rows, std::size_t elementsInAll) const;
    void lowerLayerNorm();
    void lowerLayerNormGrad();
    void lowerDropout();
    void lowerGather();
    void lowerGatherGrad();
    void lowerAllFinite();

    // lower_shape.cpp
    struct MovePlan {  // a part of a whole, both as grids
        std::vector<std::int64_t> whole, part, begin;
        std::optional<ChannelView> blocked;  // none: the graph's layout
    };
    MovePlan movePlan(graph::Value whole, graph::Value part, const std::vector<std::int64_t>& begin);
    void lowerPadOrSlice();
    void lowerConcat();
    void lowerTranspose();

    // lower_norm.cpp
    struct NormTensor {
        ChannelView view;
        std::optional<dnnl::memory::desc> desc;  // none: the graph's layout
        std::size_t rows = 0, channels = 0;
        std::size_t parts = 1;  // threads share the rows
        bool isBfloat16() const { return desc && cpu::elementOf(*desc) == Element::bf16; }
    };
    // Calls body(loops) with the loops over the tensor's elements.
    template <class Body>
    void withLoops(const NormTensor& tensor, const Body& body) const {
        tensor.isBfloat16() ? body(m_loops.normBfloat16) : body(m_loops.norm);
    }
    struct MaskPlan {
        GradMask kind;
        BufferId buffer;  // y, or the coefficients that tell its sign from x
    };
    struct SumPlan {  // a gradient: one value, or the masked sum of two that is written on the way
        BufferId left = 0, right = 0, mask = 0, total = 0;
        bool isSum = false;
    };
    NormTensor normTensorOf(graph::Value x);
    BufferId read(graph::Value value, const NormTensor& tensor);
    BufferId write(graph::Value value, const NormTensor& tensor, std::initializer_list<std::pair<graph::Value, BufferId>> over);
    MaskPlan maskOf(graph::Value x, const NormTensor& tensor);
    SumPlan takeSum(graph::Value dy, const NormTensor& tensor);
    void lowerBatchMoments();
    void lowerBatchNormalize();
    void lowerBatchNormReduceGrad();
    void lowerBatchNormInputGrad();
    void lowerBatchNormFrozenGrad();

    // lower_bucket.cpp
    void placeBuckets();
    void lowerAllReduce();

    // lower_update.cpp
    struct UpdatePart {  // one weight of a step that updates several
        BufferId weight = 0, gradient = 0;
        std::array<BufferId, 3> slots{};
        std::size_t first = 0, count = 0;  // its elements among those of the step
        std::size_t rowElements = 0;       // threads have rows of their own (0: not this weight)
        std::vector<RowRange> ranges;      // elements of it, by thread
        UpdateOperands at(Pointers pointers, std::size_t begin) const;
    };
    std::vector<graph::NodeId> updatesFrom(graph::NodeId first, std::size_t scalars) const;
    void findNorm();
    void shareUpdates(std::vector<UpdatePart>& parts, std::size_t threads) const;  // lower_row_shares.cpp
    UpdatePart bindUpdate(graph::NodeId update, std::size_t scalars);
    template <class Prepare>
    void emitUpdates(UpdateLoop loop, std::size_t scalars, Prepare prepare);
    template <class Fill>
    void emitRated(UpdateLoop loop, Fill fill);
    void lowerSgdUpdate();
    void lowerAdamUpdate();
    void lowerRmsPropUpdate();
    void lowerAdagradUpdate();
    void lowerLionUpdate();
    void lowerLambUpdate();
    void lowerAccumulate();
    void lowerMovingUpdate();

    // lower_loss_scale.cpp
    void lowerUpdateIf();
    void lowerLossScaleUpdate();

    struct Unrounded {
        BufferId buffer = 0;
        std::size_t count = 0;
        graph::DType dtype{};
    };

    const graph::Graph& m_graph;
    const Team& m_team;
    const Loops& m_loops;
    const bool m_multipliesBfloat16;
    Device m_device;
    Plan m_plan;
    std::uint32_t m_at = 0;
    std::vector<std::vector<Places>> m_places;           // by node, output
    std::map<graph::NodeId, FilterGradPair> m_pairs;     // by either node of the pair
    std::map<graph::NodeId, graph::NodeId> m_lossGrads;  // SoftmaxCrossEntropy → its gradient: one pass makes both
    std::set<graph::NodeId> m_lowered;                   // nodes another node's step already made
    std::map<graph::Attributes, std::pair<dnnl::memory::desc, dnnl::memory::desc>> m_averages;  // AvgPool2DGrad's attributes → layouts
    std::map<graph::Value, BufferId> m_rectified;    // rectified results of BatchNormalize → the coefficients that made them
    std::map<graph::NodeId, graph::Value> m_norms;   // first of updates that are one step → the norm they make
    std::map<graph::Value, graph::NodeId> m_sums;    // ReluGrad of a sum that only it reads → the Add
    std::map<graph::Value, BufferId> m_bucketParts;  // gradients written straight into their bucket
    std::map<graph::NodeId, BufferId> m_buckets;     // AllReduce → its memory
    std::set<graph::NodeId> m_unawaited;             // started buckets
    std::map<graph::Value, std::vector<std::uint32_t>> m_readers;  // nodes, in order
    std::map<graph::Value, std::uint32_t> m_lastReaders;           // by node, later than all when the memory outlives the readers
    std::set<graph::Value> m_shared;                               // products whose halves lie in the caches of two cores
    std::set<graph::Value> m_rowShared;                            // gradients whose rows the threads made each for itself
    std::set<graph::Value> m_gradients;                            // values that updates read
    std::optional<BufferId> m_condition;                           // of the updates to come
    std::vector<Unrounded> m_unrounded;                            // what the node being lowered has written
};

inline bool isSource(const graph::Node& node) { return node.op == graph::OpKind::Input || node.op == graph::OpKind::State; }

// Addresses of buffers inside a step.
template <class E>
E* elementsAt(Pointers pointers, BufferId id) {
    return reinterpret_cast<E*>(pointers[id]);
}
inline float* floats(Pointers pointers, BufferId id) { return reinterpret_cast<float*>(pointers[id]); }

}  // namespace lockstep::exec::cpu
