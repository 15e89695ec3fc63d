// Ops that go row by row through tensors in the graph's layout.
#include "lowering.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace lockstep::exec::cpu {

using graph::Value;

namespace {

const std::int32_t* integers(Pointers pointers, BufferId id) { return reinterpret_cast<const std::int32_t*>(pointers[id]); }

}  // namespace

std::size_t Lowering::partsOf(std::size_t rows, std::size_t elementsInAll) const {
    return elementsInAll < kElementsWorthATeam ? 1 : std::min(static_cast<std::size_t>(m_team.threads()), rows);
}

void Lowering::lowerLayerNorm() {
    const auto columns = static_cast<std::size_t>(shape(input(0)).back());
    const std::size_t rows = elements(input(0)) / columns, parts = partsOf(rows, elements(input(0)));
    const BufferId x = plain(input(0)), gamma = plain(input(1)), beta = plain(input(2));
    const BufferId y = definePlain(result(0)), mean = definePlain(result(1)), rstd = definePlain(result(2));
    const double epsilon = graph::doubleAttribute(node().attributes, "epsilon");
    const Loops& loops = m_loops;
    emit({x, gamma, beta, y, mean, rstd}, [=, &loops](Pointers p) {
        splitRows(parts, rows, [&](std::size_t, RowRange range) {
            LayerNormCall call{};
            call.x = floats(p, x) + range.begin * columns;
            call.y = floats(p, y) + range.begin * columns;
            call.mean = floats(p, mean) + range.begin;
            call.rstd = floats(p, rstd) + range.begin;
            call.gamma = floats(p, gamma);
            call.beta = floats(p, beta);
            call.rows = range.count();
            call.columns = columns;
            call.epsilon = epsilon;
            loops.row.layerNorm(call);
        });
    });
}

void Lowering::lowerLayerNormGrad() {
    const auto columns = static_cast<std::size_t>(shape(input(0)).back());
    const std::size_t rows = elements(input(0)) / columns, parts = partsOf(rows, elements(input(0)));
    const BufferId dy = plain(input(0)), x = plain(input(1)), mean = plain(input(2)), rstd = plain(input(3)), gamma = plain(input(4));
    const BufferId dx = definePlain(result(0)), dgamma = definePlain(result(1)), dbeta = definePlain(result(2));
    const BufferId partial = workspace(parts * 2 * columns * sizeof(double));
    const Loops& loops = m_loops;
    emit({dy, x, mean, rstd, gamma, dx, dgamma, dbeta, partial}, [=, &loops](Pointers p) {
        auto* sums = reinterpret_cast<double*>(p[partial]);
        splitRows(parts, rows, [&](std::size_t part, RowRange range) {
            LayerNormCall call{};
            call.dy = floats(p, dy) + range.begin * columns;
            call.x = floats(p, x) + range.begin * columns;
            call.dx = floats(p, dx) + range.begin * columns;
            call.mean = floats(p, mean) + range.begin;
            call.rstd = floats(p, rstd) + range.begin;
            call.gamma = floats(p, gamma);
            call.rows = range.count();
            call.columns = columns;
            call.products = sums + part * 2 * columns;
            call.sums = call.products + columns;
            loops.row.layerNormGrad(call);
        });
        for (std::size_t c = 0; c < columns; ++c) {
            double products = 0, total = 0;
            for (std::size_t part = 0; part < parts; ++part) {
                products += sums[part * 2 * columns + c];
                total += sums[(part * 2 + 1) * columns + c];
            }
            floats(p, dgamma)[c] = static_cast<float>(products);
            floats(p, dbeta)[c] = static_cast<float>(total);
        }
    });
}

void Lowering::lowerDropout() {
    const auto rows = static_cast<std::size_t>(shape(input(0))[0]);
    const std::size_t columns = elements(input(0)) / rows, parts = partsOf(rows, elements(input(0)));
    const BufferId x = plain(input(0)), step = plain(input(1)), firstRow = plain(input(2)), y = definePlain(result());
    const double rate = graph::doubleAttribute(node().attributes, "rate");
    const auto seed = static_cast<std::uint64_t>(graph::intAttribute(node().attributes, "seed"));
    const auto threshold = static_cast<std::uint32_t>(std::ceil(rate * (1 << 24)));
    const Loops& loops = m_loops;
    emit({x, step, firstRow, y}, [=, &loops](Pointers p) {
        splitRows(parts, rows, [&](std::size_t, RowRange range) {
            for (std::size_t row = range.begin; row < range.end; ++row)
                loops.row.dropout({floats(p, x) + row * columns, floats(p, y) + row * columns, columns, seed,
                                   static_cast<std::uint32_t>(*floats(p, step)),
                                   static_cast<std::uint32_t>(*floats(p, firstRow)) + static_cast<std::uint32_t>(row), threshold,
                                   static_cast<float>(1 / (1 - rate))});
        });
    });
}

// An id that is not in the table gives NaN, which the training loop's guard reports.
void Lowering::lowerGather() {
    const auto known = static_cast<std::size_t>(shape(input(0))[0]), columns = static_cast<std::size_t>(shape(input(0))[1]);
    const std::size_t rows = elements(input(1)), parts = partsOf(rows, rows * columns);
    const BufferId table = plain(input(0)), ids = plain(input(1)), y = definePlain(result());
    emit({table, ids, y}, [=](Pointers p) {
        splitRows(parts, rows, [&](std::size_t, RowRange range) {
            for (std::size_t row = range.begin; row < range.end; ++row) {
                const auto id = static_cast<std::size_t>(integers(p, ids)[row]);  // a negative one becomes huge
                float* to = floats(p, y) + row * columns;
                if (id < known)
                    std::memcpy(to, floats(p, table) + id * columns, columns * sizeof(float));
                else
                    std::fill_n(to, columns, std::numeric_limits<float>::quiet_NaN());
            }
        });
    });
}

// Threads share the columns: an id may come up in any row.
void Lowering::lowerGatherGrad() {
    const auto known = static_cast<std::size_t>(shape(result())[0]), columns = static_cast<std::size_t>(shape(result())[1]);
    const std::size_t rows = elements(input(1)), parts = partsOf(columns, rows * columns);
    const BufferId dy = plain(input(0)), ids = plain(input(1)), dx = definePlain(result());
    const Loops& loops = m_loops;
    emit({dy, ids, dx}, [=, &loops](Pointers p) {
        std::memset(p[dx], 0, known * columns * sizeof(float));
        splitRows(parts, columns, [&](std::size_t, RowRange range) {
            for (std::size_t row = 0; row < rows; ++row) {
                const auto id = static_cast<std::size_t>(integers(p, ids)[row]);
                if (id >= known) continue;
                float* to = floats(p, dx) + id * columns + range.begin;
                loops.pointwise.add(to, floats(p, dy) + row * columns + range.begin, to, range.count(), 0);
            }
        });
    });
}

void Lowering::lowerAllFinite() {
    struct Part {
        BufferId buffer;
        std::size_t count;
    };
    std::vector<Part> parts;
    for (const Value value : node().inputs) parts.push_back({plain(value), elements(value)});
    const BufferId out = definePlain(result());
    for (const Part& part : parts) m_plan.buffers.touch(part.buffer, static_cast<int>(m_plan.steps.size()));
    const Loops& loops = m_loops;
    emit({out}, [=, &loops](Pointers p) {
        const auto isFinite = [&](const Part& part) { return loops.row.allFinite(floats(p, part.buffer), part.count) != 0; };
        *floats(p, out) = std::ranges::all_of(parts, isFinite) ? 1.0F : 0.0F;
    });
}

}  // namespace lockstep::exec::cpu
