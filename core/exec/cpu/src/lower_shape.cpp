// Ops that only move elements: copies between two grids of places.
#include "lowering.h"

#include <algorithm>
#include <cstring>

namespace lockstep::exec::cpu {

using dnnl::memory;
using graph::OpKind;
using graph::Value;

namespace {

using Dims = std::vector<std::int64_t>;

Dims stridesOf(const Dims& dims) {
    Dims strides(dims.size(), 1);
    for (std::size_t axis = dims.size(); axis-- > 1;) strides[axis - 1] = strides[axis] * dims[axis];
    return strides;
}

// A grid of places in two tensors.
struct Grid {
    Dims dims, from, to;  // lengths and steps
    std::int64_t fromStart = 0, toStart = 0;

    // Joins axes that are one run in both tensors, so that the innermost is as long as can be.
    void simplify() {
        Grid joined{{}, {}, {}, fromStart, toStart};
        for (std::size_t axis = 0; axis < dims.size(); ++axis) {
            if (dims[axis] == 1) continue;
            const bool continues =
                !joined.dims.empty() && joined.from.back() == from[axis] * dims[axis] && joined.to.back() == to[axis] * dims[axis];
            if (continues) {
                joined.dims.back() *= dims[axis];
                joined.from.back() = from[axis];
                joined.to.back() = to[axis];
            } else {
                joined.dims.push_back(dims[axis]);
                joined.from.push_back(from[axis]);
                joined.to.push_back(to[axis]);
            }
        }
        if (joined.dims.empty()) joined = {{1}, {1}, {1}, fromStart, toStart};
        *this = std::move(joined);
    }

    void copy(const float* source, float* target, std::size_t axis = 0) const { copyFrom(source + fromStart, target + toStart, axis); }

private:
    void copyFrom(const float* source, float* target, std::size_t axis) const {
        if (axis + 1 < dims.size()) {
            for (std::int64_t i = 0; i < dims[axis]; ++i) copyFrom(source + i * from[axis], target + i * to[axis], axis + 1);
            return;
        }
        if (from[axis] == 1 && to[axis] == 1) {
            std::memcpy(target, source, static_cast<std::size_t>(dims[axis]) * sizeof(float));
            return;
        }
        for (std::int64_t i = 0; i < dims[axis]; ++i) target[i * to[axis]] = source[i * from[axis]];
    }
};

}  // namespace

// Where Pad or Slice leaves the channels of a picture alone, it works on the layout the picture has: [image][block][row][column][lane].
Lowering::MovePlan Lowering::movePlan(Value whole, Value part, const std::vector<std::int64_t>& begin) {
    const graph::Shape &outer = shape(whole), &inner = shape(part);
    if (outer.rank() == 4 && outer[3] == inner[3]) {
        const memory::desc layout = layoutOf(input(0));
        const auto view = channelViewOf(layout);
        if (view && view->blocks > 1) {
            const auto blocks = static_cast<std::int64_t>(view->blocks), width = static_cast<std::int64_t>(view->width);
            return {{outer[0], blocks, outer[1], outer[2], width},
                    {inner[0], blocks, inner[1], inner[2], width},
                    {begin[0], 0, begin[1], begin[2], 0},
                    view};
        }
    }
    return {outer.dims(), inner.dims(), begin, std::nullopt};
}

void Lowering::lowerPadOrSlice() {
    const bool isPad = node().op == OpKind::Pad;
    const auto& begin = graph::listAttribute(node().attributes, isPad ? "before" : "begin");
    const MovePlan plan = isPad ? movePlan(result(), input(0), begin) : movePlan(input(0), result(), begin);
    BufferId source = 0, target = 0;
    std::size_t bytes = elements(result()) * sizeof(float);
    if (plan.blocked) {
        const auto tag = plan.blocked->width == 16 ? memory::format_tag::nChw16c : memory::format_tag::nChw8c;
        const memory::desc wanted(dimsOf(shape(result()), Meaning::Picture), memory::data_type::f32, tag);
        source = as(input(0), layoutOf(input(0)), Meaning::Picture);
        target = define(result(), wanted, Meaning::Picture);
        bytes = wanted.get_size();
    } else {
        source = plain(input(0));
        target = definePlain(result());
    }
    const Dims whole = stridesOf(plan.whole), part = stridesOf(plan.part);
    Grid grid{plan.part, isPad ? part : whole, isPad ? whole : part};
    std::int64_t& start = isPad ? grid.toStart : grid.fromStart;
    for (std::size_t axis = 0; axis < plan.begin.size(); ++axis) start += plan.begin[axis] * whole[axis];
    grid.simplify();
    emit({source, target}, [=](Pointers p) {
        if (isPad) std::memset(p[target], 0, bytes);
        grid.copy(floats(p, source), floats(p, target));
    });
}

void Lowering::lowerConcat() {
    const auto axis = static_cast<std::size_t>(graph::intAttribute(node().attributes, "axis"));
    const Dims strides = stridesOf(shape(result()).dims());
    struct Part {
        BufferId buffer;
        Grid grid;
    };
    std::vector<Part> parts;
    std::int64_t start = 0;
    for (const Value value : node().inputs) {
        Part& part = parts.emplace_back(Part{plain(value), {shape(value).dims(), stridesOf(shape(value).dims()), strides, 0, start}});
        part.grid.simplify();
        start += shape(value)[axis] * strides[axis];
    }
    const BufferId target = definePlain(result());
    for (const Part& part : parts) m_plan.buffers.touch(part.buffer, static_cast<int>(m_plan.steps.size()));
    emit({target}, [=](Pointers p) {
        for (const Part& part : parts) part.grid.copy(floats(p, part.buffer), floats(p, target));
    });
}

void Lowering::lowerTranspose() {
    const auto& permutation = graph::listAttribute(node().attributes, "permutation");
    const Dims strides = stridesOf(shape(input(0)).dims());
    Grid grid{shape(result()).dims(), {}, stridesOf(shape(result()).dims())};
    for (const std::int64_t axis : permutation) grid.from.push_back(strides[static_cast<std::size_t>(axis)]);
    grid.simplify();
    const BufferId source = plain(input(0)), target = definePlain(result());
    // Threads share the outermost axis.
    const auto outer = static_cast<std::size_t>(grid.dims[0]);
    const std::size_t parts = grid.dims.size() < 2 ? 1 : partsOf(outer, elements(result()));
    emit({source, target}, [=](Pointers p) {
        if (parts == 1) return grid.copy(floats(p, source), floats(p, target));
        splitRows(parts, outer, [&](std::size_t, RowRange range) {
            for (std::size_t i = range.begin; i < range.end; ++i)
                grid.copy(floats(p, source) + static_cast<std::int64_t>(i) * grid.from[0],
                          floats(p, target) + static_cast<std::int64_t>(i) * grid.to[0], 1);
        });
    });
}

}  // namespace lockstep::exec::cpu
