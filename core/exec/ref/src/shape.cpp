#include "kernel.h"

#include <algorithm>
#include <array>

namespace lockstep::exec::ref {
namespace {

using Places = std::array<std::int64_t, graph::kMaxRank>;

// Steps of one place along each axis of a dense tensor.
Places stridesOf(const graph::Shape& shape) {
    Places strides{};
    std::int64_t step = 1;
    for (std::size_t axis = shape.rank(); axis-- > 0; step *= shape[axis]) strides[axis] = step;
    return strides;
}

// Calls visit(element, position) for each element of a tensor in row-major order.
template <class Visit>
void forEachPosition(const graph::Shape& shape, Visit visit) {
    Places at{};
    for (std::int64_t i = 0; i < shape.elements(); ++i) {
        visit(i, at);
        for (std::size_t axis = shape.rank(); axis-- > 0;) {
            if (++at[axis] < shape[axis]) break;
            at[axis] = 0;
        }
    }
}

}  // namespace

template <class T>
void pad(const Call& call) {
    const auto& before = graph::listAttribute(call.node->attributes, "before");
    const Places strides = stridesOf(call.outShape(0));
    std::fill_n(call.out<T>(0), call.outShape(0).elements(), T{0});
    forEachPosition(call.shape(0), [&](std::int64_t i, const Places& at) {
        std::int64_t to = 0;
        for (std::size_t axis = 0; axis < before.size(); ++axis) to += (at[axis] + before[axis]) * strides[axis];
        call.out<T>(0)[to] = call.in<T>(0)[i];
    });
}

template <class T>
void slice(const Call& call) {
    const auto& begin = graph::listAttribute(call.node->attributes, "begin");
    const Places strides = stridesOf(call.shape(0));
    forEachPosition(call.outShape(0), [&](std::int64_t i, const Places& at) {
        std::int64_t from = 0;
        for (std::size_t axis = 0; axis < begin.size(); ++axis) from += (at[axis] + begin[axis]) * strides[axis];
        call.out<T>(0)[i] = call.in<T>(0)[from];
    });
}

template <class T>
void concat(const Call& call) {
    const auto axis = static_cast<std::size_t>(graph::intAttribute(call.node->attributes, "axis"));
    std::int64_t inner = 1, outer = 1;
    for (std::size_t i = 0; i < call.outShape(0).rank(); ++i) {
        if (i < axis) outer *= call.outShape(0)[i];
        if (i > axis) inner *= call.outShape(0)[i];
    }
    T* to = call.out<T>(0);
    for (std::int64_t row = 0; row < outer; ++row)
        for (std::size_t input = 0; input < call.inputs.size(); ++input) {
            const std::int64_t length = call.shape(input)[axis] * inner;
            to = std::copy_n(call.in<T>(input) + row * length, length, to);
        }
}

template <class T>
void transpose(const Call& call) {
    const auto& permutation = graph::listAttribute(call.node->attributes, "permutation");
    const Places strides = stridesOf(call.shape(0));
    forEachPosition(call.outShape(0), [&](std::int64_t i, const Places& at) {
        std::int64_t from = 0;
        for (std::size_t axis = 0; axis < permutation.size(); ++axis)
            from += at[axis] * strides[static_cast<std::size_t>(permutation[axis])];
        call.out<T>(0)[i] = call.in<T>(0)[from];
    });
}

template <class T>
void cast(const Call& call) {
    const std::int64_t count = call.outShape(0).elements();
    switch (call.types[0].dtype) {
        case graph::DType::F32: std::copy_n(call.in<float>(0), count, call.out<T>(0)); return;
        case graph::DType::F64:
            for (std::int64_t i = 0; i < count; ++i) call.out<T>(0)[i] = static_cast<T>(call.in<double>(0)[i]);
            return;
        case graph::DType::I32:
            for (std::int64_t i = 0; i < count; ++i) call.out<T>(0)[i] = static_cast<T>(call.in<std::int32_t>(0)[i]);
            return;
        case graph::DType::BF16:
        case graph::DType::F16: return;  // seen as float32 here
    }
}

LOCKSTEP_BOTH(pad);
LOCKSTEP_BOTH(slice);
LOCKSTEP_BOTH(concat);
LOCKSTEP_BOTH(transpose);
LOCKSTEP_BOTH(cast);

}  // namespace lockstep::exec::ref
