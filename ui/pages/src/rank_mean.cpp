#include "rank_mean.h"

#include <algorithm>

namespace lockstep::pages {

bool RankMean::sameSources(const std::vector<std::shared_ptr<charts::SeriesData>>& ranks) const {
    return std::ranges::equal(m_sources, ranks, [](const Source& source, const auto& data) {
        return source.data == data && source.generation == data->generation();
    });
}

void RankMean::restart(const std::vector<std::shared_ptr<charts::SeriesData>>& ranks) {
    if (!ranks.empty() && m_mean->pool() != ranks.front()->pool())
        m_mean = std::make_shared<charts::SeriesData>(ranks.front()->pool());
    else
        m_mean->clear();
    m_sources.clear();
    for (const auto& data : ranks) m_sources.push_back({data, 0, data->generation()});
}

// A step that one rank lacks is passed over by the others. After a resume steps fall; the rank that is already in the younger piece
// waits until the others are there too.
bool RankMean::align() {
    for (;;) {
        std::uint64_t highest = 0;
        std::size_t fewestPieces = SIZE_MAX;
        const auto pieceOf = [](const Source& source) {
            const auto& starts = source.data->pieces();
            return static_cast<std::size_t>(std::upper_bound(starts.begin(), starts.end(), source.next) - starts.begin());
        };
        for (const auto& source : m_sources) {
            if (source.next >= source.data->size()) return false;
            fewestPieces = std::min(fewestPieces, pieceOf(source));
        }
        for (const auto& source : m_sources)
            if (pieceOf(source) == fewestPieces) highest = std::max(highest, source.data->at(source.next).step);
        bool moved = false;
        const bool allInOnePiece = std::ranges::all_of(m_sources, [&](const Source& s) { return pieceOf(s) == fewestPieces; });
        for (auto& source : m_sources) {
            if (pieceOf(source) != fewestPieces) continue;
            if (!allInOnePiece || source.data->at(source.next).step < highest) {
                ++source.next;
                moved = true;
            }
        }
        if (!moved) return true;
    }
}

void RankMean::update(const std::vector<std::shared_ptr<charts::SeriesData>>& ranks) {
    if (!sameSources(ranks)) restart(ranks);
    if (m_sources.empty()) return;
    while (align()) {
        charts::Sample mean{m_sources.front().data->at(m_sources.front().next).step, 0, 0};
        for (auto& source : m_sources) {
            const auto& sample = source.data->at(source.next++);
            mean.time = std::max(mean.time, sample.time);
            mean.value += sample.value;
        }
        mean.value *= m_factor / static_cast<double>(m_sources.size());
        m_mean->append(mean);
    }
}

}  // namespace lockstep::pages
