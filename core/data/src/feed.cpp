#include <data/feed.h>

#include <base/thread.h>
#include <base/units.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace lockstep::data {
namespace {

constexpr std::size_t kMostBytes = 64u << 20, kSmallBytes = 4u << 20, kMostBuffers = 32;
constexpr std::int64_t kRowsAhead = 2;

}  // namespace

struct Feed::Buffer {
    // 64-byte alignment: kernels read these directly.
    struct alignas(64) Line {
        std::byte bytes[64];
    };
    std::vector<Line> x, labels, targets, weights;
    StepInput input;

    static std::vector<Line> lines(std::size_t bytes) { return std::vector<Line>((bytes + 63) / 64); }
};

// Sizes of the buffers and how many there are.
struct Feed::Ring {
    std::size_t x = 0, labels = 0, targets = 0, weights = 0, count = 0;

    explicit Ring(const FeedOptions& options) {
        const auto most = static_cast<std::size_t>(mostRowsOfShare(options.schedule.batch(), options.share));
        const std::size_t real = sizeOf(options.real);
        x = most * static_cast<std::size_t>(options.split.rowElements()) * real;
        labels = most * sizeof(std::int32_t);
        const std::int64_t width = options.split.targetWidth > 0 ? options.split.targetWidth : options.targetWidth;
        targets = most * static_cast<std::size_t>(width) * real;
        weights = most * real;
        const std::size_t size = std::max<std::size_t>(each(), 1);
        const std::size_t small = options.buffers < kUsualBuffers ? 0 : std::min(kSmallBytes / size, kMostBuffers);
        count = std::clamp<std::size_t>(kMostBytes / size, 2, std::max<std::size_t>({options.buffers, small, 2}));
    }
    std::size_t each() const { return x + labels + targets + weights; }
};

std::uint64_t feedBytes(const FeedOptions& options) {
    const Feed::Ring ring(options);
    return ring.count * ring.each() + static_cast<std::uint64_t>(options.schedule.rows()) * sizeof(std::uint32_t);
}

Feed::Feed(FeedOptions options)
    : m_options(std::move(options)),
      m_writer(m_options.split, m_options.real, m_options.transform, m_options.targetWidth),
      m_nextStep(m_options.firstStep) {
    const Ring ring(m_options);
    m_buffers.resize(ring.count);
    for (Buffer& buffer : m_buffers) {
        buffer.x = Buffer::lines(ring.x);
        buffer.labels = Buffer::lines(ring.labels);
        buffer.weights = Buffer::lines(ring.weights);
        buffer.input.x = buffer.x.front().bytes;
        buffer.input.labels = buffer.labels.front().bytes;
        buffer.targets = Buffer::lines(ring.targets);
        if (!buffer.targets.empty()) buffer.input.targets = buffer.targets.front().bytes;
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
    std::byte* const targets = buffer.targets.empty() ? nullptr : buffer.targets.front().bytes;
    const auto divisor = m_options.meanOfReplicas ? m_options.share.total * own.count : rows.batch.count;
    const std::uint32_t* const order = m_order.data() + static_cast<std::size_t>(rows.batch.first + own.first);
    for (std::size_t place = 0; place < most; ++place) {
        const bool real = static_cast<std::int64_t>(place) < own.count;
        if (real) {
            const std::uint32_t row = order[place];
            if (static_cast<std::int64_t>(place) + kRowsAhead < own.count) m_writer.prefetch(order[place + kRowsAhead]);
            m_writer.write(row, rows.epoch, x, labels, place);
            if (targets != nullptr) m_writer.writeTarget(row, targets, place);
        } else {
            m_writer.pad(x, labels, place);
            if (targets != nullptr) std::memset(targets + place * m_writer.targetBytes(), 0, m_writer.targetBytes());
        }
        const double weight = real ? m_options.weightOfBatch / static_cast<double>(divisor) : 0.0;
        if (m_options.real == Real::F32)
            reinterpret_cast<float*>(weights)[place] = static_cast<float>(weight);
        else
            reinterpret_cast<double*>(weights)[place] = weight;
    }
    buffer.input.rows = rows;
    buffer.input.ownRows = own.count;
}

}  // namespace lockstep::data
