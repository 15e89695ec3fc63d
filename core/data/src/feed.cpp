#include <data/feed.h>

#include <base/thread.h>
#include <base/units.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>

namespace lockstep::data {
namespace {

constexpr std::size_t kMostBytes = 64u << 20;

std::size_t elementsOf(const Split& split) {
    return static_cast<std::size_t>(
        std::accumulate(split.featureShape.begin(), split.featureShape.end(), std::int64_t{1}, std::multiplies<>()));
}

// value/255 in float32, also for float64 runs: what the recorded curves were made with. A division, because compilers make vectors of
// it and none of a table.
template <class T>
void scale(const std::uint8_t* from, std::size_t count, std::byte* into) {
    T* out = reinterpret_cast<T*>(into);
    for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<float>(from[i]) / 255.0f;
}

}  // namespace

RowWriter::RowWriter(const Split& split, Real real) : m_split(split), m_real(real), m_rowElements(elementsOf(split)) {}

void RowWriter::write(std::uint32_t row, std::byte* x, std::int32_t* labels, std::size_t place) const {
    const std::uint8_t* from = m_split.features.data() + row * m_rowElements;
    std::byte* into = x + place * rowBytes();
    if (m_real == Real::F32)
        scale<float>(from, m_rowElements, into);
    else
        scale<double>(from, m_rowElements, into);
    labels[place] = m_split.labels[row];
}

void RowWriter::pad(std::byte* x, std::int32_t* labels, std::size_t place) const {
    std::memset(x + place * rowBytes(), 0, rowBytes());
    labels[place] = 0;
}

struct Feed::Buffer {
    // 64-byte alignment: kernels read these directly.
    struct alignas(64) Line {
        std::byte bytes[64];
    };
    std::vector<Line> x, labels, weights;
    StepInput input;

    static std::vector<Line> lines(std::size_t bytes) { return std::vector<Line>((bytes + 63) / 64); }
};

Feed::Feed(FeedOptions options)
    : m_options(std::move(options)), m_writer(m_options.split, m_options.real), m_nextStep(m_options.firstStep) {
    const auto most = static_cast<std::size_t>(mostRowsOfShare(m_options.schedule.batch(), m_options.share));
    const std::size_t each = most * (m_writer.rowBytes() + sizeof(std::int32_t) + sizeOf(m_options.real));
    m_buffers.resize(std::clamp<std::size_t>(kMostBytes / std::max<std::size_t>(each, 1), 2, std::max<std::size_t>(m_options.buffers, 2)));
    for (Buffer& buffer : m_buffers) {
        buffer.x = Buffer::lines(most * m_writer.rowBytes());
        buffer.labels = Buffer::lines(most * sizeof(std::int32_t));
        buffer.weights = Buffer::lines(most * sizeOf(m_options.real));
        buffer.input.x = buffer.x.front().bytes;
        buffer.input.labels = buffer.labels.front().bytes;
        buffer.input.weights = buffer.weights.front().bytes;
    }
    m_order = m_options.order;
    if (m_order.empty()) m_order.resize(static_cast<std::size_t>(m_options.schedule.rows()));
    m_thread = startThread("feed", [this](std::stop_token) { work(); });
}

Feed::~Feed() {
    m_stop = true;
    // Enough to pass any wait for room.
    m_freed.add(static_cast<std::uint32_t>(2 * m_buffers.size()));
}

Result<const StepInput*> Feed::next(Deadline deadline) {
    if (m_nextStep + m_taken > m_options.schedule.totalSteps()) return static_cast<const StepInput*>(nullptr);
    if (m_taken > 0) m_freed.add();  // the one given before
    ++m_taken;
    const auto before = std::chrono::steady_clock::now();
    if (!m_filled.wait(m_taken, deadline)) {
        const Seconds waited = std::chrono::steady_clock::now() - before;
        return makeError("F616",
                         {{"step", std::to_string(m_nextStep + m_taken - 1)}, {"seconds", formatDouble(std::round(waited.count()))}});
    }
    return static_cast<const StepInput*>(&m_buffers[(m_taken - 1) % m_buffers.size()].input);
}

void Feed::work() {
    const std::uint64_t steps = m_options.schedule.totalSteps();
    for (std::uint64_t step = m_options.firstStep; step <= steps; ++step) {
        if (!waitForRoom()) return;
        fill(m_buffers[m_made % m_buffers.size()], m_options.schedule.at(step));
        ++m_made;
        m_filled.add();
    }
}

// Once all buffers are full, sleeps until half of them are free: one wake-up for several steps.
bool Feed::waitForRoom() {
    const auto count = static_cast<std::uint32_t>(m_buffers.size());
    if (m_made - m_freed.value() >= count) m_freed.wait(m_made - count + std::max(1u, count / 2), Deadline::never());
    return !m_stop;
}

void Feed::beginEpoch(int epoch) {
    if (m_orderEpoch == epoch) return;
    m_orderEpoch = epoch;
    if (!m_options.order.empty()) return;
    if (m_options.shuffle)
        shuffleRows(m_order, m_options.seed, epoch);
    else
        std::iota(m_order.begin(), m_order.end(), 0u);
}

void Feed::fill(Buffer& buffer, const StepRows& rows) {
    beginEpoch(rows.epoch);
    const RowRange own = rowsOfShare(rows.batch.count, m_options.share);
    const auto most = static_cast<std::size_t>(mostRowsOfShare(m_options.schedule.batch(), m_options.share));
    std::byte* const x = buffer.x.front().bytes;
    auto* const labels = reinterpret_cast<std::int32_t*>(buffer.labels.front().bytes);
    std::byte* const weights = buffer.weights.front().bytes;
    for (std::size_t place = 0; place < most; ++place) {
        const bool real = static_cast<std::int64_t>(place) < own.count;
        if (real)
            m_writer.write(m_order[static_cast<std::size_t>(rows.batch.first + own.first) + place], x, labels, place);
        else
            m_writer.pad(x, labels, place);
        const double weight = real ? m_options.weightOfBatch / static_cast<double>(rows.batch.count) : 0.0;
        if (m_options.real == Real::F32)
            reinterpret_cast<float*>(weights)[place] = static_cast<float>(weight);
        else
            reinterpret_cast<double*>(weights)[place] = weight;
    }
    buffer.input.rows = rows;
    buffer.input.ownRows = own.count;
}

}  // namespace lockstep::data
