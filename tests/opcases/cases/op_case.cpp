#include "op_case.h"

#include <base/random.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace lockstep::opcases {

using graph::DType;

namespace {

using enum graph::OpKind;

// Ops whose scalars or vectors beside a 16-bit tensor are float32.
bool hasWideOperands(graph::OpKind op) {
    constexpr graph::OpKind kOps[] = {BatchMoments,        BatchNormalize, BatchNormReduceGrad, BatchNormInputGrad,
                                      BatchNormFrozenGrad, LayerNorm,      LayerNormGrad,       Dropout};
    return std::ranges::find(kOps, op) != std::end(kOps);
}

}  // namespace

DType operandType(const OpCase& opCase, std::size_t index, DType dtype) {
    const Operand& operand = opCase.operands[index];
    if (operand.fill == Fill::Labels) return DType::I32;
    const bool besides = hasWideOperands(opCase.op) && operand.shape.rank() < opCase.operands[0].shape.rank();
    const bool factor = index == 1 && (opCase.op == MulScalar || opCase.op == DivScalar || opCase.op == ClipByNorm);
    return besides || factor ? graph::wideOf(dtype) : dtype;
}

bool takes(graph::OpKind op, DType dtype) {
    if (!graph::is16Bit(dtype)) return true;
    constexpr graph::OpKind kWideOnly[] = {SoftmaxCrossEntropy,
                                           SoftmaxCrossEntropyGrad,
                                           CorrectPredictions,
                                           CategoricalCrossEntropy,
                                           CategoricalCrossEntropyGrad,
                                           BinaryCrossEntropy,
                                           BinaryCrossEntropyGrad,
                                           RegressionLoss,
                                           RegressionLossGrad,
                                           TopKCorrect,
                                           BinaryCorrect,
                                           CategoricalCorrect,
                                           ConfusionCounts,
                                           SquareSum,
                                           AbsSum,
                                           Sign,
                                           Sqrt,
                                           AllFinite,
                                           AllReduce,
                                           UpdateIf};
    return !graph::opRow(op).updatesState && std::ranges::find(kWideOnly, op) == std::end(kWideOnly);
}

Result<graph::Graph> buildCase(const OpCase& opCase, DType dtype) {
    graph::Graph graph;
    std::vector<graph::Value> inputs;
    for (const auto& operand : opCase.operands) {
        const std::string name = "x" + std::to_string(inputs.size());
        const graph::TensorType type{operandType(opCase, inputs.size(), dtype), operand.shape};
        LS_TRY_ASSIGN(const graph::Value value, operand.isState ? graph.state(name, type, "weight") : graph.input(name, type));
        inputs.push_back(value);
    }
    LS_TRY_ASSIGN(const graph::NodeId node, graph.append(opCase.op, "op", inputs, opCase.attributes));
    for (std::uint32_t i = 0; i < graph.node(node).outputs.size(); ++i) graph.setOutput("y" + std::to_string(i), {node, i});
    return graph;
}

std::vector<double> operandValues(const OpCase& opCase, std::size_t index) {
    std::uint64_t seed = 1469598103934665603ULL;  // FNV-1a of the name
    for (const char letter : opCase.name) seed = (seed ^ static_cast<unsigned char>(letter)) * 1099511628211ULL;
    Philox random(seed, index);
    const Operand& operand = opCase.operands[index];
    std::vector<double> values(static_cast<std::size_t>(operand.shape.elements()));
    for (double& value : values) {
        switch (operand.fill) {
            case Fill::Signed: value = 2 * random.nextDouble() - 1; break;
            case Fill::Ties: value = static_cast<double>(random.nextBelow(3)) - 1; break;
            case Fill::Labels: value = random.nextBelow(static_cast<std::uint32_t>(operand.classes)); break;
            case Fill::Weights: value = random.nextBelow(4) == 0 ? 0.0 : random.nextDouble(); break;
            case Fill::Positive: value = 0.01 + 0.99 * random.nextDouble(); break;
            case Fill::Rate: value = 0.03125; break;
            case Fill::Step: value = 3; break;
            case Fill::Wide: value = 16 * random.nextDouble() - 8; break;
            case Fill::Bits: value = random.nextBelow(2); break;
            case Fill::Value: value = operand.value; break;
        }
        // Every dtype gets the same numbers.
        value = static_cast<double>(static_cast<float>(value));
    }
    return values;
}

}  // namespace lockstep::opcases
