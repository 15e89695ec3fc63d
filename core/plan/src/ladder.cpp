#include "plan_with.h"

#include <base/units.h>
#include <nn/precision.h>

#include <algorithm>

#include <fmt/format.h>

namespace lockstep::plan {
namespace {

constexpr int kMostSlices = 64;
constexpr int kLeastBatches = 2;
// An estimate further above the limit than this is not looked at closer: the executor's planning is not that much better.
constexpr double kHopeless = 1.3;

class Climber {
public:
    Climber(const Question& question, std::uint64_t limit, Climb how) : m_question(question), m_how(how) { m_ladder.limit = limit; }

    Result<Ladder> run() {
        LS_TRY(asSpecified());
        for (const auto step : {&Climber::fewerBatches, &Climber::recompute, &Climber::sixteenBits, &Climber::slices,
                                &Climber::recomputeAndSlices, &Climber::smallerBatch}) {
            if (m_how == Climb::ToTheFirstThatFits && isReached()) break;
            LS_TRY((this->*step)());
        }
        choose();
        return std::move(m_ladder);
    }

private:
    bool isReached() const {
        return std::ranges::any_of(m_ladder.rungs, [](const Rung& rung) { return rung.fits && rung.sameUpdate; });
    }

    Memory few() const {
        Memory memory = memoryAsked(m_question.spec);
        memory.preparedBatches = kLeastBatches;
        memory.recompute = m_ladder.rungs.front().plan.memory.recompute;
        return memory;
    }

    Result<Plan> planFor(const spec::RunSpec& spec, const Memory& memory) const {
        return planWith({spec, m_question.inventory, m_question.run, m_question.data, m_question.sizer, m_question.bfloat16}, memory);
    }

    bool fits(const Plan& plan) const { return bytesOf(plan).total() <= m_ladder.limit; }

    void add(Rung rung, Plan plan) {
        rung.bytes = bytesOf(plan);
        rung.fits = fits(plan);
        const auto& first = m_ladder.rungs.empty() ? plan : m_ladder.rungs.front().plan;
        rung.slowdown = first.forecast.samplesPerSecond / plan.forecast.samplesPerSecond;
        rung.plan = std::move(plan);
        m_ladder.rungs.push_back(std::move(rung));
    }

    std::string limitKey() const { return "training.memory_limit=" + std::to_string(m_ladder.limit); }

    Result<void> asSpecified() {
        LS_TRY_ASSIGN(Plan plan, planFor(m_question.spec, memoryAsked(m_question.spec)));
        LS_TRY_ASSIGN(m_hasStatistics, hasBatchStatistics(m_question.spec, m_question.data));
        Rung rung;
        rung.remedy = "as specified";
        rung.what = fmt::format("batches of {}{}", plural(m_question.spec.training.globalBatchSize, "row"),
                                plan.memory.slicesApart ? fmt::format(" in {} slices", plan.sliceTotal) : "");
        add(std::move(rung), std::move(plan));
        return {};
    }

    Result<void> fewerBatches() {
        LS_TRY_ASSIGN(Plan plan, planFor(m_question.spec, few()));
        Rung rung;
        rung.remedy = "fewer prepared batches";
        rung.what = fmt::format("{} batches are prepared ahead", kLeastBatches);
        rung.set = {limitKey()};
        add(std::move(rung), std::move(plan));
        return {};
    }

    // The cheapest way that fits, else the smallest. Nothing: there is no way to need less.
    Result<std::optional<Plan>> recomputed(const spec::RunSpec& spec) const {
        Memory memory = few();
        memory.recompute.clear();
        spec::RunSpec plain = spec;
        plain.training.recompute.clear();
        LS_TRY_ASSIGN(Plan best, planFor(plain, memory));
        LS_TRY_ASSIGN(const auto ways, recomputeWays(plain, m_question.data, shapeOf(best), {best.isa, m_question.bfloat16}));
        const RankBytes& whole = bytesOf(best);
        const std::uint64_t rest = whole.total() - whole.activations - whole.workspace - whole.gradients;
        std::optional<Plan> found;
        for (std::size_t i = 1; i < ways.size(); ++i) {
            const bool last = i + 1 == ways.size();
            const bool hopeless = static_cast<double>(ways[i].bytes + rest) > kHopeless * static_cast<double>(m_ladder.limit);
            if (hopeless && !last) continue;
            memory.recompute = cutsOf(ways[i]);
            LS_TRY_ASSIGN(Plan plan, planFor(plain, memory));
            if (!found || bytesOf(plan).total() < bytesOf(*found).total()) found = std::move(plan);
            if (fits(*found)) break;
        }
        return found;
    }

    std::string wordsOf(const Plan& plan) const {
        int deepest = 0;
        for (const RecomputeCut& cut : plan.memory.recompute) deepest = std::max(deepest, cut.level);
        return fmt::format("activations are dropped between {} and computed again, up to {}",
                           plural(std::ssize(plan.memory.recompute), "place"),
                           deepest == 1 ? std::string("once") : std::to_string(deepest) + " times");
    }

    Result<void> recompute() {
        LS_TRY_ASSIGN(auto plan, recomputed(m_question.spec));
        if (!plan) return {};
        Rung rung;
        rung.remedy = "recompute";
        rung.what = wordsOf(*plan);
        rung.set = {limitKey()};
        add(std::move(rung), std::move(*plan));
        return {};
    }

    Result<void> sixteenBits() {
        if (!m_question.bfloat16 || m_question.spec.training.mixedPrecision != "none") return {};
        spec::RunSpec spec = m_question.spec;
        spec.training.mixedPrecision = nn::kMixedBfloat16;
        Memory memory = few();
        if (isAutomatic(spec)) memory.recompute.clear();  // chosen anew: another graph has other places
        LS_TRY_ASSIGN(Plan plan, planFor(spec, memory));
        Rung rung;
        rung.remedy = "16 bits";
        rung.what = "layers compute in bfloat16, weights stay float32 (" + cluster::bfloat16Sentence(*m_question.bfloat16) + ")";
        rung.set = {"training.mixed_precision=" + spec.training.mixedPrecision};
        rung.sameUpdate = false;
        rung.difference = "the update changes: values are rounded to 16 bits";
        rung.advised = cluster::bfloat16Pays(*m_question.bfloat16);
        add(std::move(rung), std::move(plan));
        return {};
    }

    // Whether a batch may be cut into so many slices that a rank runs one after the other.
    bool mayCut(int slices) const {
        const Plan& first = m_ladder.rungs.front().plan;
        return slices > first.sliceTotal && slices <= m_question.spec.training.globalBatchSize &&
               m_question.spec.distribution.reduction != "keras";
    }

    void tellOfSlices(Rung& rung, int slices) const {
        rung.set = {"distribution.slices=" + std::to_string(slices)};
        rung.sameUpdate = !m_hasStatistics;
        if (m_hasStatistics) rung.difference = "batch normalisation takes the statistics of each slice";
    }

    spec::RunSpec inSlices(int slices) const {
        spec::RunSpec spec = m_question.spec;
        spec.distribution.slices = slices;
        return spec;
    }

    Result<void> slices() {
        for (int slices = 2; slices <= kMostSlices && mayCut(slices * m_ladder.rungs.front().plan.sliceTotal); slices *= 2) {
            const int all = slices * m_ladder.rungs.front().plan.sliceTotal;
            LS_TRY_ASSIGN(Plan plan, planFor(inSlices(all), few()));
            if (!fits(plan) && slices < kMostSlices && mayCut(2 * all)) continue;
            Rung rung;
            rung.remedy = "slices";
            rung.what = fmt::format("each batch runs in {} slices of {}, one after the other", all, plural(plan.sliceRows, "row"));
            tellOfSlices(rung, all);
            add(std::move(rung), std::move(plan));
            break;
        }
        return {};
    }

    Result<void> recomputeAndSlices() {
        for (int slices = 2; slices <= kMostSlices && mayCut(slices * m_ladder.rungs.front().plan.sliceTotal); slices *= 2) {
            const int all = slices * m_ladder.rungs.front().plan.sliceTotal;
            LS_TRY_ASSIGN(auto plan, recomputed(inSlices(all)));
            if (!plan) return {};
            if (!fits(*plan) && slices < kMostSlices && mayCut(2 * all)) continue;
            Rung rung;
            rung.remedy = "recompute and slices";
            rung.what = fmt::format("{} slices of {}; {}", all, plural(plan->sliceRows, "row"), wordsOf(*plan));
            tellOfSlices(rung, all);
            rung.set.push_back(limitKey());
            add(std::move(rung), std::move(*plan));
            break;
        }
        return {};
    }

    Result<void> smallerBatch() {
        const std::int64_t whole = m_question.spec.training.globalBatchSize;
        const auto least = static_cast<std::int64_t>(m_ladder.rungs.front().plan.sliceTotal);
        for (std::int64_t batch = whole / 2; batch >= least && batch > 0; batch /= 2) {
            spec::RunSpec spec = m_question.spec;
            spec.training.globalBatchSize = batch;
            LS_TRY_ASSIGN(Plan plan, planFor(spec, few()));
            if (!fits(plan) && batch / 2 >= least && batch / 2 > 0) continue;
            Rung rung;
            rung.remedy = "smaller batch";
            rung.what = fmt::format("{} instead of {}", plural(batch, "row"), whole);
            rung.set = {"training.global_batch_size=" + std::to_string(batch)};
            rung.sameUpdate = false;
            rung.difference = "an update sees fewer rows";
            add(std::move(rung), std::move(plan));
            break;
        }
        return {};
    }

    void choose() {
        for (std::size_t i = 0; i < m_ladder.rungs.size(); ++i) {
            const Rung& rung = m_ladder.rungs[i];
            if (!rung.fits || !rung.sameUpdate) continue;
            if (!m_ladder.chosen || rung.slowdown < m_ladder.rungs[*m_ladder.chosen].slowdown) m_ladder.chosen = i;
        }
    }

    const Question& m_question;
    Climb m_how;
    Ladder m_ladder;
    bool m_hasStatistics = false;
};

}  // namespace

RankBytes bytesOf(const Plan& plan) {
    const auto most = std::ranges::max_element(plan.ranks, {}, [](const Rank& rank) { return rank.bytes.total(); });
    return most == plan.ranks.end() ? RankBytes{} : most->bytes;
}

Result<Ladder> climb(const Question& question, std::uint64_t limit, Climb how) { return Climber(question, limit, how).run(); }

Result<Ladder> memoryLadder(const spec::RunSpec& spec, const cluster::Inventory& inventory, std::uint64_t limit, const DataFacts& data,
                            const Sizer& sizer, const std::optional<cluster::Bfloat16Speed>& bfloat16) {
    return climb({spec, inventory, "", data, sizer, bfloat16}, limit, Climb::All);
}

}  // namespace lockstep::plan
