#include "estimate.h"

#include <exec/arena.h>
#include <nn/model.h>
#include <passes/pipeline.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace lockstep::plan {
namespace {

// Typical rates of one core under small batches: about a third of what a large matrix product reaches. They only serve the forecast.
struct IsaRate {
    std::string_view isa;
    double flopsPerSecond;
};
constexpr std::array<IsaRate, 10> kRates = {{{"none", 2e9},
                                             {"aarch64", 8e9},
                                             {"sse41", 5e9},
                                             {"avx", 10e9},
                                             {"avx2", 20e9},
                                             {"avx2_vnni", 20e9},
                                             {"avx512_core", 35e9},
                                             {"avx512_core_vnni", 35e9},
                                             {"avx512_core_bf16", 35e9},
                                             {"avx512_core_amx", 35e9}}};
constexpr double kBytesPerSecond = 8e9;  // of one core from memory
constexpr double kSecondsPerOp = 3e-6;   // start of one kernel
// Resident memory of a process that has loaded the libraries and made oneDNN's primitives: 15 MiB measured, stacks on top.
constexpr std::uint64_t kLibraryBytes = 16u << 20;
// The feed keeps fewer batches ready when they are large (data/feed.h).
constexpr std::uint64_t kFeedLimit = 64u << 20;

std::size_t placeOf(std::string_view isa) {
    const auto found = std::find_if(kRates.begin(), kRates.end(), [&](const IsaRate& rate) { return rate.isa == isa; });
    return found == kRates.end() ? 0 : static_cast<std::size_t>(found - kRates.begin());
}

// Times of ops on one core. A processor that multiplies bfloat16 keeps pictures in it; every other 16-bit value lies as float32, and is
// rounded in a pass of its own.
class Clock {
public:
    explicit Clock(const Core& core) : m_flopsPerSecond(kRates[placeOf(core.isa)].flopsPerSecond), m_bfloat16(core.bfloat16) {}

    double secondsOf(const graph::Graph& graph) const {
        double seconds = 0;
        for (const graph::Node& node : graph.nodes()) {
            if (node.op == graph::OpKind::Input || node.op == graph::OpKind::State || node.op == graph::OpKind::AllReduce) continue;
            seconds += secondsOf(graph, node);
        }
        return seconds;
    }

private:
    double secondsOf(const graph::Graph& graph, const graph::Node& node) const {
        std::vector<graph::TensorType> inputs, outputs;
        for (const graph::Value& value : node.inputs) inputs.push_back(asKept(graph.type(value)));
        double rounded = 0;
        for (const graph::TensorType& type : node.outputs) {
            outputs.push_back(asKept(type));
            if (outputs.back().dtype != type.dtype) rounded += 2 * static_cast<double>(outputs.back().bytes());
        }
        const graph::OpCost cost = graph::opRow(node.op).cost(inputs, outputs, node.attributes);
        const bool narrow = std::ranges::any_of(inputs, [](const graph::TensorType& type) { return graph::is16Bit(type.dtype); });
        const double rate = narrow && m_bfloat16 ? m_flopsPerSecond * std::max(m_bfloat16->ratio, 0.1) : m_flopsPerSecond;
        return std::max(cost.flops / rate, cost.bytes / kBytesPerSecond) + rounded / kBytesPerSecond + kSecondsPerOp;
    }

    graph::TensorType asKept(graph::TensorType type) const {
        if (!m_bfloat16 || !graph::is16Bit(type.dtype)) return type;
        const bool kept = m_bfloat16->products && type.dtype == graph::DType::BF16 && type.shape.rank() == 4;
        if (!kept) type.dtype = graph::DType::F32;
        return type;
    }

    double m_flopsPerSecond;
    std::optional<cluster::Bfloat16Speed> m_bfloat16;
};

// Prepared batches as data/feed.h counts them, and the order of an epoch.
constexpr std::uint64_t kUsualBatches = 8, kMostBatches = 32, kSmallFeed = 4u << 20;
std::uint64_t inputBytes(const graph::Graph& graph, const StepShape& shape, const DataFacts& data) {
    std::uint64_t bytes = 0;
    for (const graph::NodeId id : graph.nodesOf(graph::OpKind::Input)) bytes += graph.node(id).outputs[0].bytes();
    bytes *= static_cast<std::uint64_t>(shape.passes);
    const auto prepared = static_cast<std::uint64_t>(shape.memory.preparedBatches);
    const std::uint64_t small = prepared < kUsualBatches ? 0 : std::min(kSmallFeed / std::max<std::uint64_t>(bytes, 1), kMostBatches);
    const std::uint64_t wanted = bytes * std::max(prepared, small);
    return std::min(wanted, std::max(kFeedLimit, 2 * bytes)) + 4 * static_cast<std::uint64_t>(data.rows);
}

std::uint64_t dataBytes(const DataFacts& data) {
    std::uint64_t elements = 1;
    for (const std::int64_t size : data.rowShape) elements *= static_cast<std::uint64_t>(size);
    return static_cast<std::uint64_t>(data.rows + data.validationRows) * (elements * (data.bytes ? 1 : 4) + 4);
}

Result<passes::TrainStep> stepOf(const spec::RunSpec& spec, const DataFacts& data, const StepShape& shape) {
    const nn::ModelOptions options = spec::modelOptionsOf(spec, {data.rowShape, data.classes, data.targetWidth});
    LS_TRY_ASSIGN(const nn::Model model, nn::buildModel(options, shape.rows, graph::DType::F32));
    passes::TrainStepOptions stepOptions;
    stepOptions.optimizer = spec::optimizerOptionsOf(spec);
    stepOptions.bytesPerPack = spec.distribution.bytesPerPack;
    stepOptions.allReduce = shape.allReduce;
    stepOptions.ranks = shape.allReduce ? 2 : 1;  // more take the same room
    stepOptions.accumulation = spec.training.accumulation;
    stepOptions.meanOfRanks = spec.distribution.reduction == "keras";
    stepOptions.slices = shape.passes;
    for (const RecomputeCut& cut : shape.memory.recompute) stepOptions.recompute.push_back({cut.after, cut.level});
    return passes::makeTrainStep(model, stepOptions);
}

}  // namespace

Result<StepEstimate> estimateStep(const spec::RunSpec& spec, const DataFacts& data, const StepShape& shape, const Core& core) {
    LS_TRY_ASSIGN(const passes::TrainStep step, stepOf(spec, data, shape));
    const exec::ArenaPlan arena = exec::planArena(step.graph);
    const exec::MemoryReport memory = exec::memoryOf(step.graph, arena);
    StepEstimate estimate;
    estimate.bytes = {memory.weights,
                      memory.gradients,
                      memory.optimizerSlots,
                      memory.activations,
                      0,
                      inputBytes(step.graph, shape, data),
                      dataBytes(data),
                      memory.weights + memory.optimizerSlots,
                      kLibraryBytes};
    // The moving average of the weights is kept beside them.
    if (spec.training.optimizer.useEma) estimate.bytes.optimizerSlots += memory.weights;
    for (const exec::Bucket& bucket : arena.buckets()) estimate.buckets.push_back(bucket.bytes);
    const Clock clock(core);
    estimate.seconds = clock.secondsOf(step.graph);
    if (step.micro) estimate.seconds += (shape.passes * spec.training.accumulation - 1) * clock.secondsOf(*step.micro);
    return estimate;
}

Result<std::vector<passes::RecomputeChoice>> recomputeWays(const spec::RunSpec& spec, const DataFacts& data, const StepShape& shape,
                                                           const Core& core) {
    StepShape plain = shape;
    plain.memory.recompute.clear();
    LS_TRY_ASSIGN(const passes::TrainStep step, stepOf(spec, data, plain));
    const auto seconds = [clock = Clock(core)](const graph::Graph& graph) { return clock.secondsOf(graph); };
    return passes::recomputeChoices(step.micro ? *step.micro : step.graph, step.lastForward, seconds);
}

Result<bool> hasBatchStatistics(const spec::RunSpec& spec, const DataFacts& data) {
    const nn::ModelOptions options = spec::modelOptionsOf(spec, {data.rowShape, data.classes, data.targetWidth});
    LS_TRY_ASSIGN(const nn::Model model, nn::buildModel(options, 2, graph::DType::F32));
    return !model.movingStatistics.empty();
}

double allReduceSeconds(std::uint64_t bytes, std::size_t ranks, const std::string& transport) {
    if (ranks < 2) return 0;
    const bool shared = transport == "shm";
    const double rate = shared ? 4e9 : 1e9;  // bytes each rank moves in a second
    const double start = shared ? 5e-6 : 60e-6;
    const auto count = static_cast<double>(ranks);
    return start * (count - 1) + 2 * (count - 1) / count * static_cast<double>(bytes) / rate;
}

std::string lowerIsa(const std::string& a, const std::string& b) { return placeOf(a) <= placeOf(b) ? a : b; }

}  // namespace lockstep::plan
