#include <spec/nearest.h>

#include <algorithm>
#include <cctype>

namespace lockstep::spec {
namespace {

// Longer words are never suggestions, and the table below grows with the product of the lengths.
constexpr std::size_t kLongest = 64;

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& letter : out) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    return out;
}

}  // namespace

std::size_t editDistance(std::string_view a, std::string_view b) {
    std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
    for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replace = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replace});
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
        }
    }
    return cost[a.size()][b.size()];
}

std::optional<std::string> nearestWord(std::string_view word, const std::vector<std::string>& words) {
    if (word.empty() || word.size() > kLongest) return std::nullopt;
    const std::string wanted = lower(word);
    std::optional<std::string> best;
    std::size_t bestDistance = std::clamp<std::size_t>(word.size() / 3, 1, 4) + 1;
    for (const std::string& candidate : words) {
        if (candidate.size() > kLongest) continue;
        const std::size_t distance = editDistance(wanted, lower(candidate));
        if (distance < bestDistance) {
            bestDistance = distance;
            best = candidate;
        }
    }
    return best;
}

}  // namespace lockstep::spec
