#include <data/row_writer.h>

#include "pixel_loop.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace lockstep::data {
namespace {

// value/255 in float32, also for float64 runs: what the recorded curves were made with.
float valueOf(std::uint8_t value) { return static_cast<float>(value) / 255.0f; }
float valueOf(float value) { return value; }

template <class From, class To>
void convert(const From* from, std::size_t count, To* into) {
    for (std::size_t i = 0; i < count; ++i) into[i] = valueOf(from[i]);
}

template <class From, class To>
void convert(const From* from, std::size_t count, const float* mean, const float* deviation, To* into) {
    for (std::size_t i = 0; i < count; ++i) into[i] = (valueOf(from[i]) - mean[i]) / deviation[i];
}

void convert(const std::uint8_t* from, std::size_t count, float* into) { pixelsToFloats(from, count, into); }

// One number per channel, over a whole row.
std::vector<float> spread(const std::vector<float>& values, float fallback, std::size_t count) {
    std::vector<float> row(count, fallback);
    for (std::size_t i = 0; i < count && !values.empty(); ++i) row[i] = values[i % values.size()];
    return row;
}

}  // namespace

RowWriter::RowWriter(const Split& split, Real real, RowTransform transform, std::int64_t targetWidth)
    : m_split(split),
      m_real(real),
      m_transform(std::move(transform)),
      m_rowElements(static_cast<std::size_t>(split.rowElements())),
      m_targetWidth(static_cast<std::size_t>(split.targetWidth > 0 ? split.targetWidth : targetWidth)) {
    if (m_transform.augment.any()) m_moved.resize(m_rowElements);
    if (!m_transform.normalise.any()) return;
    m_mean = spread(m_transform.normalise.mean, 0.0f, m_rowElements);
    m_deviation = spread(m_transform.normalise.deviation, 1.0f, m_rowElements);
}

void RowWriter::prefetch(std::uint32_t row) const {
    constexpr std::size_t kLine = 64, kMost = 4096;  // further ones the processor fetches by itself
    const std::size_t bytes = m_rowElements * sizeOf(m_split.element);
    const std::byte* const from = m_split.features.data() + row * bytes;
    for (std::size_t at = 0; at < std::min(bytes, kMost); at += kLine) __builtin_prefetch(from + at);
}

void RowWriter::writeFeatures(const std::byte* from, std::byte* into) const {
    const auto make = [&](const auto* values, auto* out) {
        if (m_mean.empty())
            convert(values, m_rowElements, out);
        else
            convert(values, m_rowElements, m_mean.data(), m_deviation.data(), out);
    };
    const auto withElement = [&](auto* out) {
        if (m_split.element == Element::U8)
            make(reinterpret_cast<const std::uint8_t*>(from), out);
        else
            make(reinterpret_cast<const float*>(from), out);
    };
    if (m_real == Real::F32)
        withElement(reinterpret_cast<float*>(into));
    else
        withElement(reinterpret_cast<double*>(into));
}

void RowWriter::write(std::uint32_t row, std::byte* x, std::int32_t* labels, std::size_t place) {
    writeFeatures(m_split.features.data() + row * m_rowElements * sizeOf(m_split.element), x + place * rowBytes());
    if (!m_split.labels.empty()) labels[place] = m_split.labels[row];
}

void RowWriter::write(std::uint32_t row, int epoch, std::byte* x, std::int32_t* labels, std::size_t place) {
    if (m_moved.empty()) return write(row, x, labels, place);
    const auto* const picture = reinterpret_cast<const std::uint8_t*>(m_split.features.data()) + row * m_rowElements;
    movePicture(picture, m_split.featureShape, moveOf(m_transform.augment, m_transform.seed, epoch, row), m_moved.data());
    writeFeatures(reinterpret_cast<const std::byte*>(m_moved.data()), x + place * rowBytes());
    if (!m_split.labels.empty()) labels[place] = m_split.labels[row];
}

void RowWriter::writeTarget(std::uint32_t row, std::byte* targets, std::size_t place) const {
    const std::size_t width = m_targetWidth;
    const auto write = [&](auto* into) {
        if (!m_split.targets.empty()) return convert(m_split.targets.data() + row * width, width, into);
        const std::int32_t label = m_split.labels[row];
        std::fill_n(into, width, 0);
        if (width == 1)
            into[0] = static_cast<std::remove_reference_t<decltype(*into)>>(label);
        else
            into[label] = 1;
    };
    if (m_real == Real::F32)
        write(reinterpret_cast<float*>(targets) + place * width);
    else
        write(reinterpret_cast<double*>(targets) + place * width);
}

void RowWriter::pad(std::byte* x, std::int32_t* labels, std::size_t place) const {
    std::memset(x + place * rowBytes(), 0, rowBytes());
    labels[place] = 0;
}

}  // namespace lockstep::data
