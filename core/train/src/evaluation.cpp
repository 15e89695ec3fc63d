#include "evaluation.h"

#include <algorithm>
#include <cstring>

namespace lockstep::train {
namespace {

constexpr std::int64_t kMostRows = 256;  // more at once are no faster

data::Real realOf(graph::DType dtype) { return dtype == graph::DType::F64 ? data::Real::F64 : data::Real::F32; }

}  // namespace

EvaluationRows Evaluation::rowsOf(const RankOptions& options, const data::Split& validation, int ranks) {
    if (!options.evaluate || validation.rows == 0) return {};
    return {(validation.rows + ranks - 1) / ranks, kMostRows};
}

std::uint64_t Evaluation::bytesOf(const RankOptions& options, const data::Split& validation, std::int64_t rowsAtOnce) {
    if (rowsAtOnce == 0) return 0;
    const std::size_t real = graph::sizeOf(options.dtype);
    return static_cast<std::uint64_t>(rowsAtOnce) *
           (static_cast<std::size_t>(validation.rowElements()) * real + real + sizeof(std::int32_t));
}

Evaluation::Evaluation(const RankOptions& options, const data::Split& validation, StepProgram& step, comm::Group& group)
    : m_evaluation(*step.evaluation),
      m_group(group),
      m_dtype(options.dtype),
      m_deadline(options.collectiveDeadline),
      m_writer(validation, realOf(options.dtype), {{}, options.data.normalise, options.seed}, targetWidthOf(m_evaluation.graph)),
      m_own(data::rowsOfShare(validation.rows, {group.info().size, group.info().rank, 1})),
      m_sums(options.model) {
    const auto rows = static_cast<std::size_t>(m_evaluation.rows);
    m_x.resize(rows * m_writer.rowBytes());
    m_weights.resize(rows * graph::sizeOf(m_dtype));
    m_labels.resize(rows);
    m_targets.resize(rows * m_writer.targetBytes());
    m_hasTargets = !m_targets.empty() && (!validation.labels.empty() || !validation.targets.empty());
    const FeedPlaces& places = m_evaluation.feeds;
    m_feeds.resize(places.total);
    m_feeds[static_cast<std::size_t>(places.x)] = m_x.data();
    if (places.labels >= 0) m_feeds[static_cast<std::size_t>(places.labels)] = reinterpret_cast<const std::byte*>(m_labels.data());
    if (places.targets >= 0) m_feeds[static_cast<std::size_t>(places.targets)] = m_targets.data();
    m_feeds[static_cast<std::size_t>(places.weights)] = m_weights.data();
}

void Evaluation::fill(std::int64_t first, std::int64_t count) {
    for (std::int64_t i = 0; i < m_evaluation.rows; ++i) {
        const auto place = static_cast<std::size_t>(i);
        const bool real = i < count;
        const auto row = static_cast<std::uint32_t>(first + i);
        if (real) {
            m_writer.write(row, m_x.data(), m_labels.data(), place);
            if (m_hasTargets) m_writer.writeTarget(row, m_targets.data(), place);
        } else {
            m_writer.pad(m_x.data(), m_labels.data(), place);
            std::fill_n(m_targets.begin() + static_cast<std::ptrdiff_t>(place * m_writer.targetBytes()), m_writer.targetBytes(),
                        std::byte{});
        }
        ScalarFeed weight(m_dtype);
        weight.set(real ? 1.0 : 0.0);
        std::memcpy(m_weights.data() + place * graph::sizeOf(m_dtype), weight.bytes(), graph::sizeOf(m_dtype));
    }
}

// A pass over the next of this rank's rows.
Result<void> Evaluation::forward(std::int64_t done) {
    fill(m_own.first + done, std::min(m_evaluation.rows, m_own.count - done));
    return m_evaluation.program->run({m_feeds});
}

Result<Evaluation::Means> Evaluation::run(const std::function<void(std::int64_t done, std::int64_t rows)>& progress) {
    std::vector<double> sums(m_sums.size() + 1, 0), one(m_sums.size());
    sums.back() = static_cast<double>(m_own.count);
    for (std::int64_t done = 0; done < m_own.count; done += m_evaluation.rows) {
        if (progress) progress(done, m_own.count);
        LS_TRY(forward(done));
        m_sums.read(*m_evaluation.program, m_dtype, one);
        for (std::size_t i = 0; i < one.size(); ++i) sums[i] += one[i];
    }
    // The same on all ranks, so each adds it for its rows.
    if (m_own.count > 0 && m_evaluation.graph.outputs().contains("regularization"))
        sums[0] += sums.back() * scalarOf(*m_evaluation.program, "regularization", m_dtype);
    LS_TRY(m_group.allReduce({std::as_writable_bytes(std::span(sums)), comm::Element::F64, Deadline::in(m_deadline)}));
    Means means{sums[0] / sums.back(), m_sums.value(0, sums, sums.back()), {}};
    for (std::size_t i = 1; i < m_sums.metrics(); ++i) means.metrics.push_back(m_sums.value(i, sums, sums.back()));
    return means;
}

Result<void> Evaluation::results(const std::function<Result<void>(std::int64_t first, std::int64_t count)>& take) {
    for (std::int64_t done = 0; done < m_own.count; done += m_evaluation.rows) {
        LS_TRY(forward(done));
        LS_TRY(take(m_own.first + done, std::min(m_evaluation.rows, m_own.count - done)));
    }
    return {};
}

}  // namespace lockstep::train
