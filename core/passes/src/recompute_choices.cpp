#include <passes/recompute.h>

#include "forward_part.h"

#include <exec/arena.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace lockstep::passes {

using graph::Graph;
using graph::NodeId;
using graph::Value;

namespace {

using Cuts = std::vector<std::pair<std::uint32_t, int>>;  // node and level, by node

// Into how many stretches of equal bytes the forward pass is cut, level by level. Deeper than three levels gains less than it costs.
constexpr std::array kStretches = {2, 3, 4, 5, 6, 8, 10, 12, 16, 24};
constexpr std::array kCoarse = {2, 3, 4, 6};
constexpr std::array kFine = {2, 3, 4, 8};

class Cutter {
public:
    Cutter(const Graph& step, const ForwardPart& forward, bool beforeProducts)
        : m_places(forward.narrows(1)), m_inner(forward.narrows(2)), m_needed(forward.size() + 1, 0) {
        if (beforeProducts) {
            m_places = forward.beforeProducts(m_places);
            m_inner = forward.beforeProducts(m_inner);
        }
        for (std::uint32_t n = 0; n < forward.size(); ++n) {
            m_needed[n + 1] = m_needed[n];
            for (std::uint32_t i = 0; i < step.nodes()[n].outputs.size(); ++i) {
                const Value value{NodeId{n}, i};
                if (forward.isLarge(value) && forward.isNeededLater(value)) m_needed[n + 1] += step.type(value).bytes();
            }
        }
    }

    std::set<Cuts> all() const {
        const auto end = static_cast<std::uint32_t>(m_needed.size() - 1);
        std::set<Cuts> found;
        for (const int stretches : kStretches) {
            const Cuts cuts = divide(m_places, 0, end, stretches, 1);
            found.insert(cuts);
            found.insert(refined(m_inner, cuts, 2, 2));
            // Only the front part: early layers are the largest, late ones may stay.
            for (std::size_t quarter = 1; quarter < 4; ++quarter)
                found.insert(Cuts(cuts.begin(), cuts.begin() + static_cast<std::ptrdiff_t>(cuts.size() * quarter / 4)));
        }
        for (const int coarse : kCoarse) {
            for (const int fine : kFine) {
                const Cuts two = refined(m_places, divide(m_places, 0, end, coarse, 1), fine, 2);
                found.insert(two);
                for (const int finest : {2, 3}) found.insert(refined(m_inner, two, finest, 3));
            }
        }
        return found;
    }

private:
    std::size_t neededBetween(std::uint32_t from, std::uint32_t to) const { return m_needed[to] - m_needed[from]; }

    // Cuts between two nodes, so that stretches need about equal bytes.
    Cuts divide(const std::vector<std::uint32_t>& places, std::uint32_t from, std::uint32_t to, int stretches, int level) const {
        const std::size_t budget = neededBetween(from, to) / static_cast<std::size_t>(stretches);
        Cuts cuts;
        std::uint32_t start = from;
        for (std::size_t i = 0; i + 1 < places.size(); ++i) {
            const std::uint32_t here = places[i] + 1, next = places[i + 1] + 1;
            if (here <= start || here >= to) continue;
            const bool last = next >= to;
            if (!last && neededBetween(start, next) <= budget) continue;
            if (last && neededBetween(start, to) <= budget) continue;
            cuts.emplace_back(places[i], level);
            start = here;
        }
        return cuts;
    }

    // Cuts of a lower level inside each stretch that a cut ends.
    Cuts refined(const std::vector<std::uint32_t>& places, const Cuts& cuts, int stretches, int level) const {
        Cuts all = cuts;
        std::uint32_t start = 0;
        for (const auto& [node, above] : cuts) {
            const Cuts inside = divide(places, start, node + 1, stretches, level);
            all.insert(all.end(), inside.begin(), inside.end());
            start = node + 1;
        }
        std::ranges::sort(all);
        return all;
    }

    std::vector<std::uint32_t> m_places, m_inner;
    std::vector<std::size_t> m_needed;  // bytes that backward needs of the nodes before
};

std::vector<RecomputeCut> named(const Graph& step, const Cuts& cuts) {
    std::vector<RecomputeCut> result;
    for (const auto& [node, level] : cuts) result.push_back({step.nodes()[node].name, level});
    return result;
}

// Cheapest first, each smaller than all before.
std::vector<RecomputeChoice> best(std::vector<RecomputeChoice> choices) {
    std::ranges::stable_sort(choices,
                             [](const auto& a, const auto& b) { return std::pair(a.seconds, a.bytes) < std::pair(b.seconds, b.bytes); });
    std::vector<RecomputeChoice> kept;
    for (RecomputeChoice& choice : choices)
        if (kept.empty() || choice.bytes < kept.back().bytes) kept.push_back(std::move(choice));
    return kept;
}

}  // namespace

Result<std::vector<RecomputeChoice>> recomputeChoices(const Graph& step, std::string_view lastForward,
                                                      const std::function<double(const Graph&)>& secondsOf) {
    LS_TRY_ASSIGN(const ForwardPart forward, ForwardPart::of(step, lastForward));
    std::vector<RecomputeChoice> choices = {{{}, exec::planArena(step).bytes(), secondsOf(step)}};
    std::set<Cuts> ways = Cutter(step, forward, false).all();
    ways.merge(Cutter(step, forward, true).all());
    for (const Cuts& cuts : ways) {
        if (cuts.empty()) continue;
        RecomputeChoice choice;
        choice.cuts = named(step, cuts);
        LS_TRY_ASSIGN(const Graph made, recompute(step, lastForward, choice.cuts));
        choice.bytes = exec::planArena(made).bytes();
        choice.seconds = secondsOf(made);
        choices.push_back(std::move(choice));
    }
    return best(std::move(choices));
}

}  // namespace lockstep::passes
