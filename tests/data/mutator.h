// Random damage to files. Everything follows from the seed and the round, so that a finding can be made again from its two numbers.
#pragma once

#include <base/random.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::test {

class Mutator {
public:
    Mutator(const std::vector<std::string>& corpus, std::uint64_t seed) : m_corpus(corpus), m_seed(seed) {}

    // A file of the corpus with one to eight changes, more often few: files must live long enough to be read far.
    std::string make(std::uint64_t round) const {
        Philox random(m_seed, round);
        std::string bytes = m_corpus[random.nextBelow(static_cast<std::uint32_t>(m_corpus.size()))];
        for (std::uint32_t edits = random.nextBelow(random.nextBelow(8) + 1) + 1; edits > 0; --edits) change(bytes, random);
        return bytes;
    }

private:
    static std::size_t placeIn(const std::string& bytes, Philox& random) {
        // Headers matter more than what follows them.
        const auto size = static_cast<std::uint32_t>(bytes.size() + 1);
        const std::uint32_t reach = random.nextBelow(3) == 0 ? size : std::min(size, 64u);
        return random.nextBelow(reach);
    }

    void change(std::string& bytes, Philox& random) const {
        const std::size_t at = placeIn(bytes, random), left = bytes.size() - at;
        switch (random.nextBelow(8)) {
            case 0:
                if (left > 0) bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.nextBelow(8)));
                break;
            case 1:
                if (left > 0) bytes[at] = static_cast<char>(random.nextU32());
                break;
            case 2: overwrite(bytes, at, random); break;
            case 3: bytes.insert(at, 1 + random.nextBelow(8), static_cast<char>(random.nextU32())); break;
            case 4: bytes.erase(at, 1 + random.nextBelow(16)); break;
            case 5: bytes.insert(at, bytes.substr(at / 2, random.nextBelow(64))); break;
            case 6: bytes.resize(random.nextBelow(4) == 0 ? at : bytes.size()); break;
            default: splice(bytes, at, random); break;
        }
    }

    // A number that readers like to trip over, in two to eight bytes of either order.
    static void overwrite(std::string& bytes, std::size_t at, Philox& random) {
        static constexpr std::uint64_t kNumbers[] = {
            0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 1ull << 30, 0x7fffffffffffffff, 0xffffffffffffffff};
        const std::uint64_t number = kNumbers[random.nextBelow(std::size(kNumbers))];
        const std::uint32_t size = 1u << (random.nextBelow(3) + 1);
        const bool big = random.nextBelow(2) == 0;
        for (std::uint32_t i = 0; i < size && at + i < bytes.size(); ++i)
            bytes[at + i] = static_cast<char>(number >> 8 * (big ? size - 1 - i : i));
    }

    void splice(std::string& bytes, std::size_t at, Philox& random) const {
        const std::string& other = m_corpus[random.nextBelow(static_cast<std::uint32_t>(m_corpus.size()))];
        if (other.empty()) return;
        bytes.resize(at);
        bytes += other.substr(random.nextBelow(static_cast<std::uint32_t>(other.size())));
    }

    const std::vector<std::string>& m_corpus;
    std::uint64_t m_seed;
};

}  // namespace lockstep::test
