// One call of one op with everything bound: what a reference kernel sees.
#pragma once

#include <graph/graph.h>

#include <cstddef>
#include <vector>

namespace lockstep::exec::ref {

struct Call {
    const graph::Node* node = nullptr;
    std::vector<graph::TensorType> types;  // of the inputs
    std::vector<const std::byte*> inputs;
    std::vector<std::byte*> outputs;
    mutable std::vector<double> scratch;  // scratchDoubles(call) long, so that no kernel allocates

    template <class T>
    const T* in(std::size_t index) const {
        return reinterpret_cast<const T*>(inputs[index]);
    }
    template <class T>
    T* out(std::size_t index) const {
        return reinterpret_cast<T*>(outputs[index]);
    }
    const graph::Shape& shape(std::size_t index) const { return types[index].shape; }
    const graph::Shape& outShape(std::size_t index) const { return node->outputs[index].shape; }
    bool has(std::size_t index) const { return index < inputs.size(); }
};

using Kernel = void (*)(const Call&);

// The kernel of an op for elements of type T (float or double); nullptr for sources and all_reduce, which the program handles.
template <class T>
Kernel kernelFor(graph::OpKind op);

// Rows (axis 0) that are real: the scalar input `index`, between 0 and all of them.
template <class T>
std::int64_t realRows(const Call& call, std::size_t index, std::int64_t all) {
    const double count = *call.in<T>(index);
    return count >= static_cast<double>(all) ? all : static_cast<std::int64_t>(count > 0 ? count : 0);
}

// As Keras sees some factors also when the weights are float64.
inline double throughFloat(double value) { return static_cast<double>(static_cast<float>(value)); }

// Doubles of scratch the kernel of this call needs.
std::size_t scratchDoubles(const Call& call);

// The kernels, by file.
template <class T>
void matMul(const Call& call);
template <class T>
void conv2D(const Call& call);
template <class T>
void conv2DInputGrad(const Call& call);
template <class T>
void conv2DFilterGrad(const Call& call);
template <class T>
void maxPool2D(const Call& call);
template <class T>
void maxPool2DGrad(const Call& call);
template <class T>
void biasAdd(const Call& call);
template <class T>
void biasGrad(const Call& call);
template <class T>
void relu(const Call& call);
template <class T>
void reluGrad(const Call& call);
template <class T>
void add(const Call& call);
template <class T>
void reshape(const Call& call);
template <class T>
void squareSum(const Call& call);
template <class T>
void absSum(const Call& call);
template <class T>
void sign(const Call& call);
template <class T>
void squareRoot(const Call& call);
template <class T>
void softmaxCrossEntropy(const Call& call);
template <class T>
void softmaxCrossEntropyGrad(const Call& call);
template <class T>
void correctPredictions(const Call& call);
template <class T>
void sgdUpdate(const Call& call);
template <class T>
void adamUpdate(const Call& call);
template <class T>
void batchMoments(const Call& call);
template <class T>
void batchNormalize(const Call& call);
template <class T>
void batchNormReduceGrad(const Call& call);
template <class T>
void batchNormInputGrad(const Call& call);
template <class T>
void batchNormFrozenGrad(const Call& call);
template <class T>
void movingUpdate(const Call& call);
template <class T>
void avgPool2D(const Call& call);
template <class T>
void avgPool2DGrad(const Call& call);
template <class T>
void scale(const Call& call);
template <class T>
void addScaled(const Call& call);
template <class T>
void multiply(const Call& call);
template <class T>
void multiplyByScalar(const Call& call);
template <class T>
void divideByScalar(const Call& call);
template <class T>
void updateIf(const Call& call);
template <class T>
void lossScaleUpdate(const Call& call);
template <class T>
void clipByNorm(const Call& call);
template <class T>
void clipValue(const Call& call);
template <class T>
void rmsPropUpdate(const Call& call);
template <class T>
void adagradUpdate(const Call& call);
template <class T>
void lionUpdate(const Call& call);
template <class T>
void lambUpdate(const Call& call);
template <class T>
void accumulate(const Call& call);
template <class T>
void activate(const Call& call);
template <class T>
void activateGrad(const Call& call);
template <class T>
void softmax(const Call& call);
template <class T>
void softmaxGrad(const Call& call);
template <class T>
void layerNorm(const Call& call);
template <class T>
void layerNormGrad(const Call& call);
template <class T>
void dropout(const Call& call);
template <class T>
void pad(const Call& call);
template <class T>
void slice(const Call& call);
template <class T>
void concat(const Call& call);
template <class T>
void transpose(const Call& call);
template <class T>
void batchMatMul(const Call& call);
template <class T>
void gather(const Call& call);
template <class T>
void gatherGrad(const Call& call);
template <class T>
void categoricalCrossEntropy(const Call& call);
template <class T>
void categoricalCrossEntropyGrad(const Call& call);
template <class T>
void binaryCrossEntropy(const Call& call);
template <class T>
void binaryCrossEntropyGrad(const Call& call);
template <class T>
void regressionLoss(const Call& call);
template <class T>
void regressionLossGrad(const Call& call);
template <class T>
void topKCorrect(const Call& call);
template <class T>
void binaryCorrect(const Call& call);
template <class T>
void confusionCounts(const Call& call);
template <class T>
void categoricalCorrect(const Call& call);
template <class T>
void allFinite(const Call& call);
template <class T>
void cast(const Call& call);

// At the end of a kernel's file: both element types.
#define LOCKSTEP_BOTH(kernel)                 \
    template void kernel<float>(const Call&); \
    template void kernel<double>(const Call&)

}  // namespace lockstep::exec::ref
