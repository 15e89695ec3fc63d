#include "kernel.h"

#include <algorithm>

namespace lockstep::exec::ref {

template <class T>
void matMul(const Call& call) {
    const auto& attributes = call.node->attributes;
    const bool transposeA = graph::intAttributeOr(attributes, "transpose_a", 0) != 0;
    const bool transposeB = graph::intAttributeOr(attributes, "transpose_b", 0) != 0;
    const bool rectify = graph::textAttributeOr(attributes, "activation", "") == "relu";
    const std::int64_t rows = call.outShape(0)[0];
    const std::int64_t columns = call.outShape(0)[1];
    const std::int64_t inner = call.shape(0)[transposeA ? 0 : 1];
    const T* a = call.in<T>(0);
    const T* b = call.in<T>(1);
    double* sums = call.scratch.data();
    for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t j = 0; j < columns; ++j) sums[j] = call.has(2) ? double{call.in<T>(2)[j]} : 0.0;
        for (std::int64_t k = 0; k < inner; ++k) {
            const double left = a[transposeA ? k * rows + i : i * inner + k];
            if (transposeB)
                for (std::int64_t j = 0; j < columns; ++j) sums[j] += left * double{b[j * inner + k]};
            else
                for (std::int64_t j = 0; j < columns; ++j) sums[j] += left * double{b[k * columns + j]};
        }
        T* out = call.out<T>(0) + i * columns;
        for (std::int64_t j = 0; j < columns; ++j) out[j] = static_cast<T>(rectify && sums[j] < 0 ? 0.0 : sums[j]);
    }
}

template void matMul<float>(const Call&);
template void matMul<double>(const Call&);

}  // namespace lockstep::exec::ref
