#include <data/batches.h>

#include <base/random.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace lockstep::data {
namespace {

std::int64_t ceilDivide(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace

Schedule::Schedule(std::int64_t rows, std::int64_t batch, int epochs, std::optional<std::uint64_t> steps)
    : m_rows(rows),
      m_batch(batch),
      m_stepsPerEpoch(static_cast<std::uint64_t>(ceilDivide(rows, batch))),
      m_totalSteps(m_stepsPerEpoch * static_cast<std::uint64_t>(epochs)) {
    if (steps) m_totalSteps = std::min(m_totalSteps, *steps);
}

StepRows Schedule::at(std::uint64_t step) const {
    const std::uint64_t inEpoch = (step - 1) % m_stepsPerEpoch;
    StepRows rows;
    rows.step = step;
    rows.epoch = static_cast<int>((step - 1) / m_stepsPerEpoch);
    rows.batch.first = static_cast<std::int64_t>(inEpoch) * m_batch;
    rows.batch.count = std::min(m_batch, m_rows - rows.batch.first);
    rows.lastOfEpoch = inEpoch + 1 == m_stepsPerEpoch;
    return rows;
}

RowRange rowsOfShare(std::int64_t rows, const SliceShare& share) {
    const std::int64_t slice = ceilDivide(rows, share.total);
    const std::int64_t begin = std::min<std::int64_t>(share.first * slice, rows);
    const std::int64_t end = std::min<std::int64_t>((share.first + share.count) * slice, rows);
    return {begin, end - begin};
}

std::int64_t mostRowsOfShare(std::int64_t batch, const SliceShare& share) { return ceilDivide(batch, share.total) * share.count; }

void shuffleRows(std::span<std::uint32_t> order, std::uint64_t seed, int epoch) {
    std::iota(order.begin(), order.end(), 0u);
    Philox random(seed, kShuffleStream + static_cast<std::uint64_t>(epoch));
    for (std::size_t left = order.size(); left > 1; --left)
        std::swap(order[left - 1], order[random.nextBelow(static_cast<std::uint32_t>(left))]);
}

}  // namespace lockstep::data
