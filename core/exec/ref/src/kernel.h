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

}  // namespace lockstep::exec::ref
