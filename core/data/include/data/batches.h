// Which rows a step trains on. Everything follows from (rows, batch, seed, epoch, step) alone, so every rank knows it without asking.
// Steps count from 1 over the whole run, epochs from 0. Values, any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace lockstep::data {

// Slices of a rank: `first` to `first + count` of `total` slices of every batch (architecture 5).
struct SliceShare {
    int total = 1;
    int first = 0;
    int count = 1;
    bool operator==(const SliceShare&) const = default;
};

// Places in the order of an epoch, or of a batch.
struct RowRange {
    std::int64_t first = 0;
    std::int64_t count = 0;
    bool operator==(const RowRange&) const = default;
};

struct StepRows {
    std::uint64_t step = 1;
    int epoch = 0;
    RowRange batch;  // places in the epoch's order
    bool lastOfEpoch = false;
    bool operator==(const StepRows&) const = default;
};

// Batches of an epoch: full ones, then the rest (Keras keeps it).
class Schedule {
public:
    // rows ≥ 1, batch ≥ 1, epochs ≥ 1; `steps` ends the run earlier.
    Schedule(std::int64_t rows, std::int64_t batch, int epochs, std::optional<std::uint64_t> steps = {});

    std::uint64_t stepsPerEpoch() const { return m_stepsPerEpoch; }
    std::uint64_t totalSteps() const { return m_totalSteps; }
    std::int64_t rows() const { return m_rows; }
    std::int64_t batch() const { return m_batch; }
    StepRows at(std::uint64_t step) const;

private:
    std::int64_t m_rows, m_batch;
    std::uint64_t m_stepsPerEpoch, m_totalSteps;
};

// A share's part of a batch of `rows`: slices have ⌈rows / total⌉ rows, the last ones fewer or none (5 rows in 4 slices: 2, 2, 1, 0).
RowRange rowsOfShare(std::int64_t rows, const SliceShare& share);
// The most rows a share ever has: what a program is compiled for.
std::int64_t mostRowsOfShare(std::int64_t batch, const SliceShare& share);

// Fills `order` with a permutation of 0 … size-1 that follows from (seed, epoch): Fisher and Yates with Philox, key = seed,
// stream = kShuffleStream + epoch.
inline constexpr std::uint64_t kShuffleStream = std::uint64_t{0x5348554646} << 24;
void shuffleRows(std::span<std::uint32_t> order, std::uint64_t seed, int epoch);

}  // namespace lockstep::data
