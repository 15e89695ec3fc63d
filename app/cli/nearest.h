// Suggestions for misspelt words. They are shown, never acted on.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace lockstep::cli {

// The candidate with the fewest edits (Damerau-Levenshtein, adjacent swaps count one) from `word`, if at most a third of its letters
// differ.
std::optional<std::string> nearestWord(std::string_view word, std::span<const std::string> candidates);

}  // namespace lockstep::cli
