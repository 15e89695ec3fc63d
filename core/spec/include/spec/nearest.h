// The word a person probably meant.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::spec {

// Edits (insert, delete, replace, swap of neighbours) between two words.
std::size_t editDistance(std::string_view a, std::string_view b);

// The word of `words` nearest to `word` (case ignored), if it is near enough to be worth naming: at most a third of its length, at
// least 1 and at most 4 edits. The first of equally near ones.
std::optional<std::string> nearestWord(std::string_view word, const std::vector<std::string>& words);

}  // namespace lockstep::spec
