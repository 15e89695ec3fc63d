#include "words.h"

#include "reduce.h"

#include <base/units.h>

#include <algorithm>
#include <cmath>

namespace lockstep::comm {
namespace {

constexpr std::uint64_t kSizeMask = (std::uint64_t{1} << 40) - 1;

std::string secondsText(Seconds waited) {
    const double seconds = waited.count();
    return formatDouble(seconds < 10 ? std::round(seconds * 10) / 10 : std::round(seconds));
}

std::string elementName(Element element) {
    switch (element) {
        case Element::F32: return "f32";
        case Element::F64: return "f64";
        case Element::I32: return "i32";
        case Element::I64: return "i64";
    }
    return "unknown elements";
}

std::string joined(const std::vector<int>& ranks, const std::string& before) {
    std::string text;
    for (const int rank : ranks) text += (text.empty() ? "" : ", ") + before + std::to_string(rank);
    return text;
}

std::string capitalised(std::string text) {
    if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
    return text;
}

}  // namespace

std::uint64_t Operation::word() const {
    return std::uint64_t{static_cast<std::uint8_t>(kind)} << 60 | std::uint64_t{static_cast<std::uint8_t>(element)} << 56 |
           std::uint64_t{root} << 40 | (bytes & kSizeMask);
}

Operation Operation::fromWord(std::uint64_t word) {
    return {static_cast<Kind>(word >> 60), static_cast<Element>(word >> 56 & 15), static_cast<std::uint16_t>(word >> 40), word & kSizeMask};
}

std::string Operation::text() const {
    switch (kind) {
        case Kind::AllReduce:
            return "all-reduce of " + std::to_string(bytes) + " bytes (" + elementName(element) + ")" +
                   (root == 0 ? "" : " in reserved memory " + std::to_string(root));
        case Kind::Broadcast: return "broadcast of " + std::to_string(bytes) + " bytes from rank " + std::to_string(root);
        case Kind::Barrier: return "barrier";
        case Kind::Reserve: return "reservation of " + std::to_string(bytes) + " bytes";
    }
    return "unknown operation";
}

std::string rankList(const std::vector<int>& ranks) { return ranks.empty() ? "none" : joined(ranks, "rank "); }

std::vector<int> otherRanks(const std::vector<int>& ranks, int size) {
    std::vector<int> others;
    for (int rank = 0; rank < size; ++rank)
        if (std::ranges::find(ranks, rank) == ranks.end()) others.push_back(rank);
    return others;
}

Error missingError(const std::vector<int>& missing, const std::vector<int>& present, Seconds waited) {
    return makeError("R501",
                     {{"missing", joined(missing, "")}, {"present", rankList(present)}, {"seconds", secondsText(waited)}, {"run", "RUN"}});
}

Error lateError(const std::vector<int>& late, const std::vector<int>& present, const std::string& what, Seconds waited) {
    return makeError(
        "R505", {{"late", capitalised(rankList(late))}, {"present", rankList(present)}, {"what", what}, {"seconds", secondsText(waited)}});
}

Error goneError(int rank, const std::string& how) { return makeError("R506", {{"rank", std::to_string(rank)}, {"how", how}}); }

Error differenceError(int rank, const Operation& mine, int other, const Operation& theirs) {
    return makeError("R508", {{"rank", std::to_string(rank)},
                              {"other", std::to_string(other)},
                              {"what", mine.text() + " on one side, " + theirs.text() + " on the other"}});
}

std::optional<Error> misuse(const Operation& operation, int size) {
    if (operation.bytes > kSizeMask) return makeError("X001", {{"what", operation.text() + ": too large for one call"}});
    if (operation.kind == Operation::Kind::AllReduce && operation.bytes % elementSize(operation.element) != 0)
        return makeError("X001", {{"what", operation.text() + ": not a whole number of elements"}});
    if (operation.kind == Operation::Kind::Broadcast && operation.root >= size)
        return makeError("X001", {{"what", operation.text() + ": no such rank in a group of " + std::to_string(size)}});
    return std::nullopt;
}

}  // namespace lockstep::comm
