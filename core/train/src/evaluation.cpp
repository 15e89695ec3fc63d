#include "evaluation.h"

#include <passes/pipeline.h>

#include <algorithm>
#include <cstring>

namespace lockstep::train {
namespace {

constexpr std::int64_t kMostRows = 256;  // of a batch: bounds the memory of its activations

std::int64_t ceilDivide(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

data::Real realOf(graph::DType dtype) { return dtype == graph::DType::F64 ? data::Real::F64 : data::Real::F32; }

}  // namespace

Evaluation::Evaluation(const data::Split& validation, comm::Group& group, graph::DType dtype, Seconds deadline)
    : m_validation(validation), m_group(group), m_dtype(dtype), m_deadline(deadline), m_writer(validation, realOf(dtype)) {
    const comm::GroupInfo info = group.info();
    m_own = data::rowsOfShare(validation.rows, {info.size, info.rank, 1});
    const std::int64_t most = ceilDivide(validation.rows, info.size);
    m_batch = ceilDivide(most, ceilDivide(most, kMostRows));
}

Result<std::unique_ptr<Evaluation>> Evaluation::create(const RankOptions& options, const data::Split& validation, exec::Executor& executor,
                                                       comm::Group& group) {
    std::unique_ptr<Evaluation> made(new Evaluation(validation, group, options.dtype, options.collectiveDeadline));
    LS_TRY_ASSIGN(const nn::Model model, nn::buildModel(options.model, made->m_batch, options.dtype));
    LS_TRY_ASSIGN(made->m_graph, passes::makeEvaluation(model));
    LS_TRY_ASSIGN(made->m_program, executor.compile(made->m_graph, options.compile));
    made->m_places = feedPlacesOf(made->m_graph);
    const auto rows = static_cast<std::size_t>(made->m_batch);
    made->m_x.resize(rows * made->m_writer.rowBytes());
    made->m_weights.resize(rows * graph::sizeOf(options.dtype));
    made->m_labels.resize(rows);
    return made;
}

void Evaluation::copyWeights(const StepProgram& step) {
    const auto states = m_graph.nodesOf(graph::OpKind::State);
    std::vector<std::byte> value;
    for (std::size_t to = 0; to < states.size(); ++to)
        for (std::size_t from = 0; from < step.states.size(); ++from) {
            if (step.graph.node(step.states[from]).name != m_graph.node(states[to]).name) continue;
            value.resize(m_graph.node(states[to]).outputs[0].bytes());
            step.program->readState(from, value);
            m_program->writeState(to, value);
        }
}

void Evaluation::fill(std::int64_t first, std::int64_t count) {
    for (std::int64_t i = 0; i < m_batch; ++i) {
        const auto place = static_cast<std::size_t>(i);
        const bool real = i < count;
        if (real)
            m_writer.write(static_cast<std::uint32_t>(first + i), m_x.data(), m_labels.data(), place);
        else
            m_writer.pad(m_x.data(), m_labels.data(), place);
        ScalarFeed weight(m_dtype);
        weight.set(real ? 1.0 : 0.0);
        std::memcpy(m_weights.data() + place * graph::sizeOf(m_dtype), weight.bytes(), graph::sizeOf(m_dtype));
    }
}

Result<Evaluation::Means> Evaluation::run(const StepProgram& step) {
    copyWeights(step);
    std::vector<const std::byte*> feeds(m_places.count);
    feeds[static_cast<std::size_t>(m_places.x)] = m_x.data();
    feeds[static_cast<std::size_t>(m_places.labels)] = reinterpret_cast<const std::byte*>(m_labels.data());
    feeds[static_cast<std::size_t>(m_places.weights)] = m_weights.data();
    double sums[3] = {0, 0, static_cast<double>(m_own.count)};  // loss, correct, rows
    for (std::int64_t done = 0; done < m_own.count; done += m_batch) {
        fill(m_own.first + done, std::min(m_batch, m_own.count - done));
        LS_TRY(m_program->run({feeds}));
        sums[0] += scalarOf(*m_program, "loss", m_dtype);
        sums[1] += scalarOf(*m_program, "correct", m_dtype);
    }
    LS_TRY(m_group.allReduce({std::as_writable_bytes(std::span(sums)), comm::Element::F64, Deadline::in(m_deadline)}));
    return Means{sums[0] / sums[2], sums[1] / sums[2]};
}

}  // namespace lockstep::train
