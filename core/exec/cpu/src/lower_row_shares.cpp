// Dense layers with more weight than batch, on several threads: each thread multiplies with, differentiates and updates rows of the weight
// that are its own, so that they and their slots stay in its core's cache from step to step.
#include "lowering.h"

#include <algorithm>

namespace lockstep::exec::cpu {

namespace {

constexpr double kFlopsWorthSharing = 2e6;
constexpr std::int64_t kLeastRows = 64;  // of a thread

}  // namespace

// Of a product of `batch` rows with a weight of `rows` x `columns`. Beyond the last limit the sums of the threads are as large as the
// weight.
bool Lowering::sharesRows(std::int64_t batch, std::int64_t rows, std::int64_t columns) const {
    const auto threads = static_cast<std::int64_t>(m_team.threads());
    const double flops = 2.0 * static_cast<double>(batch) * static_cast<double>(rows) * static_cast<double>(columns);
    return threads > 1 && rows >= kLeastRows * threads && rows >= batch * threads && flops >= kFlopsWorthSharing;
}

// Whether an update reads this gradient itself: a bucket's sum would lie in the cache of whoever summed it.
bool Lowering::isUpdatedHere(graph::Value gradient) const {
    const auto readers = m_readers.find(gradient);
    return readers != m_readers.end() && std::ranges::any_of(readers->second, [&](std::uint32_t reader) {
               const auto& node = m_graph.nodes()[reader];
               return graph::opRow(node.op).updatesState && node.inputs[1] == gradient;
           });
}

// out = a · b (+ bias, rectified): each thread makes the part of the sum that its rows of b give; then each adds up some rows of out.
void Lowering::emitSharedProduct(BufferId a, BufferId b, std::optional<BufferId> bias, BufferId out, bool rectify) {
    const std::int64_t batch = shape(result())[0], columns = shape(result())[1], inner = shape(input(0))[1];
    const auto parts = static_cast<std::size_t>(m_team.threads());
    const auto size = static_cast<std::size_t>(batch * columns);
    const BufferId sums = workspace((parts - 1) * size * sizeof(float));
    Step& step = addStep(StepKind::Compute, {a, b, bias.value_or(a), out, sums});
    const PointwiseLoops& loops = m_loops.pointwise;
    const auto multiply = [=](Pointers p, std::size_t part) {
        const RowRange own = rowsOf(part, parts, static_cast<std::size_t>(inner));
        float* const into = part == 0 ? floats(p, out) : floats(p, sums) + (part - 1) * size;
        return dnnl_sgemm('N', 'N', batch, columns, static_cast<std::int64_t>(own.count()), 1.0F, floats(p, a) + own.begin, inner,
                          floats(p, b) + own.begin * static_cast<std::size_t>(columns), columns, 0.0F, into, columns);
    };
    const auto addUp = [=, &loops](Pointers p, std::size_t part) {
        const RowRange own = rowsOf(part, parts, static_cast<std::size_t>(batch));
        const auto width = static_cast<std::size_t>(columns);
        float* const to = floats(p, out) + own.begin * width;
        for (std::size_t other = 0; other + 1 < parts; ++other)
            loops.add(to, floats(p, sums) + other * size + own.begin * width, to, own.count() * width, 0);
        if (bias)
            loops.biasAdd(to, floats(p, *bias), to, own.count(), width, rectify ? 1 : 0);
        else if (rectify)
            loops.relu(to, to, own.count() * width, 0);
    };
    step.run = [=](Pointers p) {
        int failed = dnnl_success;
#pragma omp parallel num_threads(static_cast <int>(parts)) reduction(max : failed)
        {
            const auto threads = static_cast<std::size_t>(omp_get_num_threads()), own = static_cast<std::size_t>(omp_get_thread_num());
            for (std::size_t part = own; part < parts; part += threads) failed = std::max<int>(failed, multiply(p, part));
#pragma omp barrier
            for (std::size_t part = own; part < parts; part += threads) addUp(p, part);
        }
        return static_cast<dnnl_status_t>(failed);
    };
}

// out = aᵀ · b, the gradient of a weight: each thread makes its rows of it.
void Lowering::emitSharedGradient(BufferId a, BufferId b, BufferId out) {
    const std::int64_t rows = shape(result())[0], columns = shape(result())[1], batch = shape(input(0))[0];
    const auto parts = static_cast<std::size_t>(m_team.threads());
    Step& step = addStep(StepKind::Compute, {a, b, out});
    m_rowShared.insert(result());
    step.run = [=](Pointers p) {
        int failed = dnnl_success;
#pragma omp parallel num_threads(static_cast <int>(parts)) reduction(max : failed)
        {
            const auto threads = static_cast<std::size_t>(omp_get_num_threads());
            for (auto part = static_cast<std::size_t>(omp_get_thread_num()); part < parts; part += threads) {
                const RowRange own = rowsOf(part, parts, static_cast<std::size_t>(rows));
                const dnnl_status_t status =
                    dnnl_sgemm('T', 'N', static_cast<std::int64_t>(own.count()), columns, batch, 1.0F, floats(p, a) + own.begin, rows,
                               floats(p, b), columns, 0.0F, floats(p, out) + own.begin * static_cast<std::size_t>(columns), columns);
                failed = std::max<int>(failed, status);
            }
        }
        return static_cast<dnnl_status_t>(failed);
    };
}

// What each thread updates of each part: its rows of shared weights; of all else the first thread does what is small, and everybody a
// piece of what is large.
void Lowering::shareUpdates(std::vector<UpdatePart>& parts, std::size_t threads) const {
    const bool byRows = threads > 1 && std::ranges::any_of(parts, [](const UpdatePart& part) { return part.rowElements > 0; });
    const std::size_t total = parts.back().first + parts.back().count;
    for (UpdatePart& part : parts) {
        for (std::size_t thread = 0; thread < threads; ++thread) {
            if (!byRows) {
                const RowRange all = rowsOf(thread, threads, total);
                const std::size_t from = std::clamp(all.begin, part.first, part.first + part.count);
                part.ranges.push_back({from - part.first, std::clamp(all.end, from, part.first + part.count) - part.first});
                continue;
            }
            const std::size_t whole = part.count < kElementsWorthATeam ? part.count : 1;
            const std::size_t grain = part.rowElements > 0 ? part.rowElements : std::max<std::size_t>(whole, 1);
            const RowRange rows = rowsOf(thread, threads, part.count / grain);
            part.ranges.push_back({rows.begin * grain, rows.end * grain});
        }
    }
}

}  // namespace lockstep::exec::cpu
