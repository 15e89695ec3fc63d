#include "lowering.h"

#include <algorithm>
#include <cmath>

namespace lockstep::exec::cpu {
namespace {

// graph/op.h, ConfusionCounts: in float32, as Keras sorts predictions between its thresholds.
struct Buckets {
    enum class Kind : std::uint8_t { Even, Above, TopK } kind = Kind::Even;
    std::size_t count = 2;
    float threshold = 0.5F;
    std::ptrdiff_t k = 1;

    std::size_t of(const float* row, std::size_t columns, std::size_t at) const {
        const float p = row[at];
        if (kind == Kind::Above) return p > threshold ? 1 : 0;
        if (kind == Kind::Even)
            return p > 0 ? static_cast<std::size_t>(std::max(std::ceil(std::min(p, 1.0F) * static_cast<float>(count - 1)) - 1, 0.0F)) : 0;
        // Of equal ones the first count.
        const auto before =
            std::count_if(row, row + columns, [&](const float& other) { return other > p || (other == p && &other < row + at); });
        return !std::isnan(p) && before < k ? 1 : 0;
    }
};

Buckets bucketsOf(const graph::Attributes& attributes, std::int64_t count) {
    const auto kind = graph::textAttribute(attributes, "kind");
    return {kind == "even" ? Buckets::Kind::Even : (kind == "above" ? Buckets::Kind::Above : Buckets::Kind::TopK),
            static_cast<std::size_t>(count), static_cast<float>(graph::doubleAttributeOr(attributes, "threshold", 0.5)),
            static_cast<std::ptrdiff_t>(graph::intAttributeOr(attributes, "k", 1))};
}

}  // namespace

// Few numbers beside the layers that make them, so one thread.
void Lowering::lowerConfusionCounts() {
    const Buckets buckets = bucketsOf(node().attributes, shape(result())[1]);
    const BufferId prediction = plain(input(0)), target = plain(input(1)), weights = plain(input(2)), out = definePlain(result());
    const auto rows = static_cast<std::size_t>(shape(input(0))[0]), columns = static_cast<std::size_t>(shape(input(0))[1]);
    emit({prediction, target, weights, out}, [=](Pointers p) {
        float* counts = floats(p, out);
        std::fill_n(counts, 2 * buckets.count, 0.0F);
        for (std::size_t i = 0; i < rows; ++i) {
            const float* row = floats(p, prediction) + i * columns;
            for (std::size_t c = 0; c < columns; ++c) {
                const bool isTrue = floats(p, target)[i * columns + c] != 0;
                counts[(isTrue ? 0 : buckets.count) + buckets.of(row, columns, c)] += floats(p, weights)[i];
            }
        }
    });
}

}  // namespace lockstep::exec::cpu
