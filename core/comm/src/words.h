// How errors of groups are worded.
#pragma once

#include <base/clock.h>
#include <base/error.h>
#include <comm/group.h>

#include <optional>
#include <string>
#include <vector>

namespace lockstep::comm {

// One collective as all ranks must call it; what a rank tells the others so that a difference is found and named.
struct Operation {
    enum class Kind : std::uint8_t { AllReduce = 1, Broadcast = 2, Barrier = 3, Reserve = 4 };
    Kind kind = Kind::Barrier;
    Element element = Element::F32;
    std::uint16_t root = 0;  // of a broadcast; of an all-reduce: 1 + which reserved memory, 0 = other memory
    std::uint64_t bytes = 0;

    // Kind, element, root and size in one word (sizes below 2^40).
    std::uint64_t word() const;
    static Operation fromWord(std::uint64_t word);
    // "all-reduce of 407080 bytes (f32)"
    std::string text() const;
    bool operator==(const Operation&) const = default;
};

// "rank 0, rank 2", "none"
std::string rankList(const std::vector<int>& ranks);
// The ranks of a group of `size` that are not in `ranks`.
std::vector<int> otherRanks(const std::vector<int>& ranks, int size);

// R501. `present` are the ranks that did join.
Error missingError(const std::vector<int>& missing, const std::vector<int>& present, Seconds waited);
// R505.
Error lateError(const std::vector<int>& late, const std::vector<int>& present, const std::string& what, Seconds waited);
// R506.
Error goneError(int rank, const std::string& how);
// R508.
Error differenceError(int rank, const Operation& mine, int other, const Operation& theirs);

// What an AllReduce or Broadcast must be: whole elements, root inside the group. X-family error otherwise.
std::optional<Error> misuse(const Operation& operation, int size);

}  // namespace lockstep::comm
