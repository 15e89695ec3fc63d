#include "lowering.h"

#include <algorithm>
#include <limits>

namespace lockstep::exec::cpu {

using dnnl::memory;
using graph::NodeId;
using graph::OpKind;
using graph::Value;

Lowering::Lowering(const graph::Graph& graph, const Team& team, const Loops& loops)
    : m_graph(graph), m_team(team), m_loops(loops), m_multipliesBfloat16(multipliesBfloat16()) {
    for (const auto& node : graph.nodes()) {
        m_places.emplace_back(node.outputs.size());
        if (graph::opRow(node.op).updatesState && node.op != OpKind::MovingUpdate) m_gradients.insert(node.inputs[1]);
    }
}

Plan Lowering::run() {
    omp_set_num_threads(m_team.threads());  // oneDNN plans its primitives for this many
    findPairs();
    findReaders();
    findSums();
    findNorm();
    placeBuckets();
    // Sources first, so that a step may join nodes between which others bring their States.
    for (m_at = 0; m_at < m_graph.nodes().size(); ++m_at)
        if (isSource(node())) lowerSource();
    for (m_at = 0; m_at < m_graph.nodes().size(); ++m_at)
        if (!isSource(node()) && !m_lowered.contains(NodeId{m_at})) {
            lowerNode();
            roundResults();
        }
    --m_at;
    finish();
    return std::move(m_plan);
}

// Nodes that one step serves together, found before the walk because the first of them emits it.
void Lowering::findPairs() {
    std::map<Value, NodeId> filterGrads;
    std::map<std::vector<Value>, NodeId> losses;
    for (std::uint32_t i = 0; i < m_graph.nodes().size(); ++i) {
        const auto& node = m_graph.nodes()[i];
        if (node.op == OpKind::Conv2DFilterGrad) filterGrads.emplace(node.inputs[1], NodeId{i});
        if (node.op == OpKind::SoftmaxCrossEntropy) losses.emplace(node.inputs, NodeId{i});
        const auto loss = losses.find(node.inputs);
        if (node.op == OpKind::SoftmaxCrossEntropyGrad && loss != losses.end() && m_graph.node(loss->second).attributes == node.attributes)
            m_lossGrads.emplace(loss->second, NodeId{i});
    }
    for (std::uint32_t i = 0; i < m_graph.nodes().size(); ++i) {
        const auto& node = m_graph.nodes()[i];
        if (node.op != OpKind::BiasGrad || m_graph.type(node.inputs[0]).shape.rank() != 4) continue;
        const auto partner = filterGrads.find(node.inputs[0]);
        if (partner == filterGrads.end() || m_graph.node(partner->second).inputs[0].node.value > i) continue;
        const FilterGradPair pair{partner->second, NodeId{i}};
        m_pairs.emplace(pair.filterGrad, pair);
        m_pairs.emplace(pair.biasGrad, pair);
        filterGrads.erase(partner);
    }
}

// A sum that only a ReluGrad reads, whose result a batch normalisation's sums read first: those make it on their way through memory.
void Lowering::findSums() {
    for (std::uint32_t i = 0; i < m_graph.nodes().size(); ++i) {
        const auto& mask = m_graph.nodes()[i];
        if (mask.op != OpKind::ReluGrad || mask.outputs[0].shape.rank() != 4) continue;
        const Value sum = mask.inputs[0], masked{NodeId{i}, 0};
        if (m_graph.node(sum.node).op != OpKind::Add || !onlyReader(sum) || m_readers[masked].empty()) continue;
        const std::uint32_t first = m_readers[masked].front();
        const auto& reader = m_graph.nodes()[first];
        const bool reduces = reader.op == OpKind::BatchNormReduceGrad && reader.inputs[0] == masked && reader.inputs[1] != masked;
        if (!reduces || !graph::textAttributeOr(reader.attributes, "activation", "").empty()) continue;
        // What is computed again in between would find both operands alive instead of one sum.
        const auto isForward = [](const graph::Node& node) { return node.op == OpKind::Conv2D || node.op == OpKind::BatchNormalize; };
        if (std::ranges::any_of(m_graph.nodes().subspan(sum.node.value, first - sum.node.value), isForward)) continue;
        m_sums.emplace(masked, sum.node);
        m_lowered.insert({sum.node, masked.node});
        for (const Value late : {m_graph.node(sum.node).inputs[0], m_graph.node(sum.node).inputs[1], mask.inputs[1]})
            m_lastReaders[late] = std::max(m_lastReaders[late], first);
    }
}

void Lowering::findReaders() {
    constexpr auto kNever = std::numeric_limits<std::uint32_t>::max();
    for (std::uint32_t i = 0; i < m_graph.nodes().size(); ++i) {
        const auto& node = m_graph.nodes()[i];
        // Their results share memory with what they read or what outlives the step.
        const bool forwards = node.op == OpKind::Reshape || node.op == OpKind::Cast;
        const bool shares = forwards || node.op == OpKind::Input || node.op == OpKind::State || node.op == OpKind::AllReduce ||
                            graph::opRow(node.op).updatesState;
        for (const Value value : node.inputs) m_readers[value].push_back(i);
        for (const Value value : node.inputs) m_lastReaders[value] = std::max(m_lastReaders[value], forwards ? kNever : i);
        for (std::uint32_t output = 0; shares && output < node.outputs.size(); ++output) m_lastReaders[{NodeId{i}, output}] = kNever;
    }
    for (const auto& [name, value] : m_graph.outputs()) m_lastReaders[value] = kNever;
}

const graph::Node* Lowering::onlyReader(Value value) const {
    const auto readers = m_readers.find(value);
    if (readers == m_readers.end() || readers->second.size() != 1) return nullptr;
    const auto isThis = [&](const auto& output) { return output.second == value; };
    return std::ranges::any_of(m_graph.outputs(), isThis) ? nullptr : &m_graph.nodes()[readers->second.front()];
}

bool Lowering::mayOverwrite(Value value) const {
    const auto last = m_lastReaders.find(value);
    return last != m_lastReaders.end() && last->second <= m_at && !m_bucketParts.contains(value);
}

void Lowering::lowerNode() {
    const auto pair = m_pairs.find(NodeId{m_at});
    if (pair != m_pairs.end()) {
        m_lowered.insert({pair->second.filterGrad, pair->second.biasGrad});
        return lowerConv2DFilterGrad(pair->second.filterGrad, pair->second.biasGrad);
    }
    if (lowerBfloat16Pointwise()) return;
    const PointwiseLoops& loops = m_loops.pointwise;
    switch (node().op) {
        case OpKind::MatMul: return lowerMatMul();
        case OpKind::Conv2D: return lowerConv2D();
        case OpKind::BiasAdd: return lowerBiasAdd();
        case OpKind::Relu: return emitUnary(loops.relu);
        case OpKind::MaxPool2D: return lowerMaxPool2D();
        case OpKind::Add: return emitBinary(loops.add);
        case OpKind::ReluGrad: return emitBinary(loops.reluGrad);
        case OpKind::BiasGrad: return lowerBiasGrad();
        case OpKind::Conv2DInputGrad: return lowerConv2DInputGrad();
        case OpKind::Conv2DFilterGrad: return lowerConv2DFilterGrad(NodeId{m_at}, std::nullopt);
        case OpKind::MaxPool2DGrad: return lowerMaxPool2DGrad();
        case OpKind::BatchMoments: return lowerBatchMoments();
        case OpKind::BatchNormalize: return lowerBatchNormalize();
        case OpKind::BatchNormReduceGrad: return lowerBatchNormReduceGrad();
        case OpKind::BatchNormInputGrad: return lowerBatchNormInputGrad();
        case OpKind::BatchNormFrozenGrad: return lowerBatchNormFrozenGrad();
        case OpKind::AvgPool2D: return lowerAvgPool2D();
        case OpKind::AvgPool2DGrad: return lowerAvgPool2DGrad();
        case OpKind::Activate: return lowerActivate();
        case OpKind::ActivateGrad: return lowerActivateGrad();
        case OpKind::Softmax: return lowerSoftmaxForward();
        case OpKind::SoftmaxGrad: return lowerSoftmaxGrad();
        case OpKind::LayerNorm: return lowerLayerNorm();
        case OpKind::LayerNormGrad: return lowerLayerNormGrad();
        case OpKind::Dropout: return lowerDropout();
        case OpKind::BatchMatMul: return lowerBatchMatMul();
        default: return lowerOther();
    }
}

// What is not a layer: losses, updates, arithmetic, shapes.
void Lowering::lowerOther() {
    const PointwiseLoops& loops = m_loops.pointwise;
    const auto factor = [this](std::string_view name) { return graph::doubleAttribute(node().attributes, name); };
    switch (node().op) {
        case OpKind::Reshape: return lowerReshape();
        case OpKind::SoftmaxCrossEntropy:
        case OpKind::SoftmaxCrossEntropyGrad: return lowerSoftmax();
        case OpKind::CorrectPredictions: return lowerCorrect();
        case OpKind::SquareSum: return lowerSum(loops.squareSum);
        case OpKind::AbsSum: return lowerSum(loops.absSum);
        case OpKind::Sign: return emitUnary(loops.sign);
        case OpKind::Sqrt: return lowerSqrt();
        case OpKind::AllReduce: return lowerAllReduce();
        case OpKind::SgdUpdate: return lowerSgdUpdate();
        case OpKind::AdamUpdate: return lowerAdamUpdate();
        case OpKind::RmsPropUpdate: return lowerRmsPropUpdate();
        case OpKind::AdagradUpdate: return lowerAdagradUpdate();
        case OpKind::LionUpdate: return lowerLionUpdate();
        case OpKind::LambUpdate: return lowerLambUpdate();
        case OpKind::Accumulate: return lowerAccumulate();
        case OpKind::MovingUpdate: return lowerMovingUpdate();
        case OpKind::Scale: return emitUnary(loops.scale, factor("factor"));
        case OpKind::AddScaled: return emitBinary(loops.addScaled, factor("factor"));
        case OpKind::Mul: return emitBinary(loops.multiply);
        case OpKind::MulScalar: return lowerMulScalar();
        case OpKind::ClipByNorm: return lowerClipByNorm();
        case OpKind::ClipValue: return emitUnary(loops.clipValue, factor("limit"));
        case OpKind::Pad:
        case OpKind::Slice: return lowerPadOrSlice();
        case OpKind::Concat: return lowerConcat();
        case OpKind::Transpose: return lowerTranspose();
        case OpKind::Gather: return lowerGather();
        case OpKind::GatherGrad: return lowerGatherGrad();
        case OpKind::CategoricalCrossEntropy:
        case OpKind::BinaryCrossEntropy:
        case OpKind::RegressionLoss:
        case OpKind::TopKCorrect:
        case OpKind::BinaryCorrect:
        case OpKind::CategoricalCorrect: return lowerTargetLoss();
        case OpKind::ConfusionCounts: return lowerConfusionCounts();
        case OpKind::CategoricalCrossEntropyGrad: return lowerTargetLossGrad(OpKind::CategoricalCrossEntropy);
        case OpKind::BinaryCrossEntropyGrad: return lowerTargetLossGrad(OpKind::BinaryCrossEntropy);
        case OpKind::RegressionLossGrad: return lowerTargetLossGrad(OpKind::RegressionLoss);
        case OpKind::AllFinite: return lowerAllFinite();
        case OpKind::Cast: return lowerCast();
        case OpKind::DivScalar: return lowerDivScalar();
        case OpKind::UpdateIf: return lowerUpdateIf();
        case OpKind::LossScaleUpdate: return lowerLossScaleUpdate();
        default: return;  // notLowered() names the others, and supports() refuses them
    }
}

void Lowering::lowerSource() {
    auto& places = m_places[m_at][0];
    if (node().op == OpKind::Input) {
        const BufferId feed = m_plan.buffers.feed();
        places.plain = feed;
        m_plan.feeds.push_back(feed);
        if (isNarrow(result())) lowerNarrowSource(feed);
        return;
    }
    const bool isSlot = graph::textAttributeOr(node().attributes, "role", "weight") == "slot";
    const std::size_t bytes = node().outputs[0].bytes();
    const BufferId state = m_plan.buffers.add(bytes, isSlot ? Category::Slot : Category::Weight, Lifetime::Forever);
    places.plain = state;
    m_plan.states.push_back({state, bytes});
    if (isNarrow(result())) lowerNarrowSource(state);
}

void Lowering::finish() {
    for (const auto& [name, value] : m_graph.outputs()) {
        const BufferId buffer = isNarrow(value) ? narrowed(value) : plain(value);
        m_plan.buffers.keepForever(buffer);
        m_plan.outputs.push_back({name, buffer, m_graph.type(value).bytes()});
    }
    while (!m_unawaited.empty()) awaitIfReduced({*m_unawaited.begin(), 0});
}

Step& Lowering::addStep(StepKind kind, std::initializer_list<BufferId> touched) {
    for (const BufferId buffer : touched) m_plan.buffers.touch(buffer, static_cast<int>(m_plan.steps.size()));
    Step& step = m_plan.steps.emplace_back();
    step.kind = kind;
    step.name = node().name;
    step.threads = m_team.threads();
    if (graph::isOptional(node().op)) step.condition = m_condition;
    return step;
}

void Lowering::awaitIfReduced(Value value) {
    if (m_unawaited.erase(value.node) == 0) return;
    Step& step = addStep(StepKind::WaitBucket, {m_buckets[value.node]});
    step.bucket = static_cast<int>(graph::intAttribute(m_graph.node(value.node).attributes, "bucket"));
}

BufferId Lowering::plain(Value value) {
    awaitIfReduced(value);
    Places& places = m_places[value.node.value][value.output];
    if (!places.plain) {
        const std::size_t rounded = m_unrounded.size();
        const BufferId buffer = definePlain(value);
        m_unrounded.resize(rounded);  // it holds rounded numbers already
        emitReorder(places.native->desc, places.native->buffer, plainDesc(shape(value), Meaning::Picture), buffer);
    }
    return *places.plain;
}

BufferId Lowering::as(Value value, const memory::desc& wanted, Form form) {
    awaitIfReduced(value);
    Places& places = m_places[value.node.value][value.output];
    const memory::desc plainLayout = plainDesc(shape(value), form);
    // A picture's layout speaks of its axes in another order than a plain one.
    const bool hasNative = places.native && form.meaning != Meaning::Plain;
    if (hasNative && samePlaces(places.native->desc, wanted)) return places.native->buffer;
    if (samePlaces(plainLayout, wanted)) return plain(value);
    for (const auto& copy : places.copies)
        if (copy.desc == wanted) return copy.buffer;
    const BufferId source = hasNative ? places.native->buffer : plain(value);
    const BufferId buffer = workspace(wanted.get_size());
    if (hasNative)
        emitReorder(places.native->desc, source, wanted, buffer);
    else
        emitReorder(plainLayout, source, wanted, buffer);
    places.copies.push_back({wanted, buffer});
    return buffer;
}

memory::desc Lowering::layoutOf(Value value) {
    const Places& places = m_places[value.node.value][value.output];
    return places.native ? with(places.native->desc, Element::f32) : plainDesc(shape(value), Meaning::Picture);
}

memory::desc Lowering::elementLayoutOf(Value value) { return with(layoutOf(value), elementOf(value)); }

Element Lowering::elementOf(Value value) const {
    return m_multipliesBfloat16 && m_graph.type(value).dtype == graph::DType::BF16 ? Element::bf16 : Element::f32;
}

// A result in float32 that stands for a 16-bit one.
void Lowering::markUnrounded(Value value, const memory::desc& desc, BufferId buffer) {
    if (!isNarrow(value) || cpu::elementOf(desc) != Element::f32) return;
    m_unrounded.push_back({buffer, desc.get_size() / sizeof(float), m_graph.type(value).dtype});
}

BufferId Lowering::definePlain(Value value) {
    const auto part = m_bucketParts.find(value);
    const Category category = m_gradients.contains(value) ? Category::Gradient : Category::Activation;
    const std::size_t bytes = isNarrow(value) ? elements(value) * sizeof(float) : m_graph.type(value).bytes();
    const BufferId buffer = part != m_bucketParts.end() ? part->second : m_plan.buffers.add(bytes, category, Lifetime::Steps);
    m_places[value.node.value][value.output].plain = buffer;
    if (isNarrow(value)) m_unrounded.push_back({buffer, elements(value), m_graph.type(value).dtype});
    return buffer;
}

BufferId Lowering::define(Value value, const memory::desc& desc, Form form) {
    if (samePlaces(desc, plainDesc(shape(value), form))) return definePlain(value);
    const BufferId buffer = m_plan.buffers.add(desc.get_size(), Category::Activation, Lifetime::Steps);
    m_places[value.node.value][value.output].native = Layout{desc, buffer};
    markUnrounded(value, desc, buffer);
    return buffer;
}

BufferId Lowering::defineOver(std::initializer_list<std::pair<Value, BufferId>> candidates, Value value, const memory::desc& desc) {
    const auto dead = std::ranges::find_if(candidates, [this](const auto& candidate) { return mayOverwrite(candidate.first); });
    if (dead == candidates.end() || m_bucketParts.contains(value) || m_gradients.contains(value))
        return define(value, desc, Meaning::Picture);
    Places& places = m_places[value.node.value][value.output];
    if (samePlaces(desc, plainDesc(shape(value), Meaning::Picture)))
        places.plain = dead->second;
    else
        places.native = Layout{desc, dead->second};
    markUnrounded(value, desc, dead->second);
    return dead->second;
}

void Lowering::emitReorder(const memory::desc& from, BufferId source, const memory::desc& to, BufferId target) {
    const dnnl::reorder::primitive_desc desc(m_device.engine, from, m_device.engine, to, callerScratchpad());
    emitPrimitive(dnnl::reorder(desc), desc.scratchpad_desc(), {{DNNL_ARG_FROM, from, source}, {DNNL_ARG_TO, to, target}});
}

void Lowering::emitPrimitive(const dnnl::primitive& primitive, const memory::desc& scratchpad, std::vector<Argument> arguments) {
    if (scratchpad.get_size() > 0) arguments.push_back({DNNL_ARG_SCRATCHPAD, scratchpad, workspace(scratchpad.get_size())});
    for (const auto& argument : arguments) m_plan.buffers.touch(argument.buffer, static_cast<int>(m_plan.steps.size()));
    const auto call = std::make_shared<PrimitiveCall>(primitive, m_device, arguments);
    addStep(StepKind::Compute, {}).run = [call](Pointers pointers) { return call->run(pointers); };
}

}  // namespace lockstep::exec::cpu
