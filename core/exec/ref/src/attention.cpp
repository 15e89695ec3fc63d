#include "kernel.h"

#include <graph/dropout.h>

#include <algorithm>
#include <limits>

namespace lockstep::exec::ref {

template <class T>
void batchMatMul(const Call& call) {
    const bool transposeA = graph::intAttributeOr(call.node->attributes, "transpose_a", 0) != 0;
    const bool transposeB = graph::intAttributeOr(call.node->attributes, "transpose_b", 0) != 0;
    const graph::Shape& shape = call.outShape(0);
    const std::int64_t rows = shape[shape.rank() - 2], columns = shape.back();
    const std::int64_t inner = call.shape(0)[shape.rank() - (transposeA ? 2 : 1)];
    const std::int64_t products = shape.elements() / (rows * columns);
    double* sums = call.scratch.data();
    for (std::int64_t row = 0; row < products * rows; ++row) {
        const std::int64_t product = row / rows, i = row % rows;
        const T* a = call.in<T>(0) + product * rows * inner;
        const T* b = call.in<T>(1) + product * inner * columns;
        std::fill_n(sums, columns, 0.0);
        for (std::int64_t k = 0; k < inner; ++k) {
            const double left = a[transposeA ? k * rows + i : i * inner + k];
            for (std::int64_t j = 0; j < columns; ++j) sums[j] += left * double{b[transposeB ? j * inner + k : k * columns + j]};
        }
        for (std::int64_t j = 0; j < columns; ++j) call.out<T>(0)[row * columns + j] = static_cast<T>(sums[j]);
    }
}

template <class T>
void gather(const Call& call) {
    const std::int64_t rows = call.shape(0)[0], columns = call.shape(0)[1];
    for (std::int64_t i = 0; i < call.shape(1).elements(); ++i) {
        const std::int32_t id = call.in<std::int32_t>(1)[i];
        T* to = call.out<T>(0) + i * columns;
        // The guard of the training loop must see a token that is not in the table.
        if (id < 0 || id >= rows)
            std::fill_n(to, columns, std::numeric_limits<T>::quiet_NaN());
        else
            std::copy_n(call.in<T>(0) + id * columns, columns, to);
    }
}

template <class T>
void gatherGrad(const Call& call) {
    const std::int64_t rows = call.outShape(0)[0], columns = call.outShape(0)[1];
    double* sums = call.scratch.data();
    std::fill_n(sums, rows * columns, 0.0);
    for (std::int64_t i = 0; i < call.shape(1).elements(); ++i) {
        const std::int32_t id = call.in<std::int32_t>(1)[i];
        if (id < 0 || id >= rows) continue;
        for (std::int64_t c = 0; c < columns; ++c) sums[id * columns + c] += double{call.in<T>(0)[i * columns + c]};
    }
    for (std::int64_t i = 0; i < rows * columns; ++i) call.out<T>(0)[i] = static_cast<T>(sums[i]);
}

template <class T>
void dropout(const Call& call) {
    const double rate = graph::doubleAttribute(call.node->attributes, "rate");
    const auto seed = static_cast<std::uint64_t>(graph::intAttribute(call.node->attributes, "seed"));
    const auto step = static_cast<std::uint32_t>(*call.in<T>(1));
    const auto firstRow = static_cast<std::uint32_t>(*call.in<T>(2));
    const std::int64_t columns = call.shape(0).elements() / call.shape(0)[0];
    for (std::int64_t row = 0; row < call.shape(0)[0]; ++row)
        for (std::int64_t i = 0; i < columns; ++i) {
            const PhiloxBlock block = graph::dropoutBlock(seed, step, firstRow + static_cast<std::uint32_t>(row), i / 4);
            const bool kept = graph::dropoutNumber(block[static_cast<std::size_t>(i % 4)]) >= rate;
            const std::int64_t at = row * columns + i;
            call.out<T>(0)[at] = kept ? static_cast<T>(double{call.in<T>(0)[at]} / (1 - rate)) : T{0};
        }
}

LOCKSTEP_BOTH(batchMatMul);
LOCKSTEP_BOTH(gather);
LOCKSTEP_BOTH(gatherGrad);
LOCKSTEP_BOTH(dropout);

}  // namespace lockstep::exec::ref
