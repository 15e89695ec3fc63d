// A decoded data set as one file: a header of a page, then features, labels and targets of the training rows, the same of the
// validation rows, and the names of the classes; every part begins at a multiple of 64 bytes. In this machine's byte order: the file
// is a cache of one user on one computer.
#pragma once

#include "source.h"

#include <array>

namespace lockstep::data {

struct DecodedLayout {
    struct Part {
        std::uint64_t at = 0, bytes = 0;
    };
    struct SplitParts {
        Part features, labels, targets;
    };
    DatasetFacts facts;
    std::array<SplitParts, 2> splits;  // training, validation
    Part names;
    std::uint64_t bytes = 0;

    // Error F620: more than a file may have (16 GiB), or more than 8 axes.
    static Result<DecodedLayout> of(const SourceFacts& facts, const std::filesystem::path& name);
};

// Writes header and names; `file` has layout.bytes.
void writeDecodedHeader(std::span<std::byte> file, const DecodedLayout& layout, const std::vector<std::string>& classNames);
SplitRoom roomOf(std::span<std::byte> file, const DecodedLayout& layout, std::size_t split);

// The data set in such a file; nothing when it is none.
std::optional<Dataset> readDecoded(std::span<const std::byte> file, std::shared_ptr<const void> keepAlive);

}  // namespace lockstep::data
