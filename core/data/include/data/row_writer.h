// Rows of a split as a model wants them. Pictures: byte / 255 divided in float32, as Keras users do, widened for F64; then, when asked
// for, (value - mean) / deviation, also in float32.
#pragma once

#include <data/augment.h>
#include <data/dataset.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lockstep::data {

enum class Real : std::uint8_t { F32, F64 };
inline std::size_t sizeOf(Real real) { return real == Real::F32 ? 4 : 8; }

// One thread at a time. The split outlives the writer. Precondition: checkTransform is fine.
class RowWriter {
public:
    // `targetWidth` > 0: rows with labels are written as targets too, as numbers of their classes (1) or one-hot (more).
    RowWriter(const Split& split, Real real, RowTransform transform = {}, std::int64_t targetWidth = 0);
    std::size_t rowBytes() const { return m_rowElements * sizeOf(m_real); }
    std::size_t targetBytes() const { return m_targetWidth * sizeOf(m_real); }

    // Row `row` of the split to place `place` of x and labels, as it is (evaluation); with an epoch: changed at random (training).
    // Rows with targets leave labels alone.
    void write(std::uint32_t row, std::byte* x, std::int32_t* labels, std::size_t place);
    void write(std::uint32_t row, int epoch, std::byte* x, std::int32_t* labels, std::size_t place);
    // Row `row` will be written soon: shuffled rows lie where no processor expects them.
    void prefetch(std::uint32_t row) const;
    void writeTarget(std::uint32_t row, std::byte* targets, std::size_t place) const;
    // Place `place` as padding: zeros.
    void pad(std::byte* x, std::int32_t* labels, std::size_t place) const;

private:
    void writeFeatures(const std::byte* from, std::byte* into) const;

    const Split& m_split;
    Real m_real;
    RowTransform m_transform;
    std::size_t m_rowElements, m_targetWidth;
    std::vector<std::uint8_t> m_moved;       // one picture
    std::vector<float> m_mean, m_deviation;  // one row each, or empty
};

}  // namespace lockstep::data
