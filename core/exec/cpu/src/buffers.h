// Memory of one program: every buffer the steps name, placed once after lowering. Buffers whose lifetimes do not overlap share bytes,
// whatever they are for; only weights and slots, which outlive the steps, lie apart. Where the bytes come from is said by bind():
// programs of a family share one Arena.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

namespace lockstep::exec::cpu {

using BufferId = std::uint32_t;
// The table of addresses steps index with a BufferId; addresses of feeds change at every run, the others never.
using Pointers = std::byte* const*;

enum class Category : std::uint8_t { Weight, Slot, Gradient, Activation, Workspace };
inline constexpr std::size_t kCategories = 5;

enum class Lifetime : std::uint8_t { Steps, Forever };  // between first and last touch, or as long as the program

// Which block a category lies in.
enum class Block : std::uint8_t { Weights, Slots, Scratch };
inline constexpr std::size_t kBlocks = 3;
constexpr Block blockOf(Category category) {
    if (category == Category::Weight) return Block::Weights;
    return category == Category::Slot ? Block::Slots : Block::Scratch;
}

// Bytes by category; those of a block's categories add up to the block.
using CategoryBytes = std::array<std::size_t, kCategories>;

// One piece of memory per block, filled with `fill`, aligned to 64 bytes; large ones lie in huge pages where the system lends them.
class Arena {
public:
    explicit Arena(const CategoryBytes& bytes, std::byte fill);
    std::byte* block(Block block) const { return m_blocks[static_cast<std::size_t>(block)].get(); }
    std::size_t bytes(Category category) const { return m_bytes[static_cast<std::size_t>(category)]; }

private:
    struct Free {
        void operator()(std::byte* memory) const;
    };
    CategoryBytes m_bytes;
    std::array<std::unique_ptr<std::byte[], Free>, kBlocks> m_blocks;
};

class Buffers {
public:
    BufferId add(std::size_t bytes, Category category, Lifetime lifetime);
    // A window of another buffer; it lives with that one.
    BufferId part(BufferId whole, std::size_t offset);
    // An address handed in at every run.
    BufferId feed();

    void touch(BufferId id, int step);
    void keepForever(BufferId id);
    // A buffer that lives forever lies in memory of somebody else: said before plan(), handed over by placeAt() before bind(). That memory
    // is zeroed, at least as large, aligned to 64 bytes.
    void lend(BufferId id) { m_buffers[id].isLent = true; }
    void placeAt(BufferId id, std::byte* memory);

    // Decides where in its block everything else lies; bytes() are known from then on. With guardBytes > 0 nothing is shared
    // and each buffer stands between two guards, which intact() checks.
    void plan(std::size_t guardBytes);
    // Gives every buffer its address in blocks that are at least as large as planned. With guards, the blocks must be this program's
    // alone and filled with kGuard. `arena` outlives this object.
    void bind(const Arena& arena);
    bool intact() const;
    static constexpr std::byte kGuard{0xA5};

    void setFeed(BufferId id, const std::byte* data) { m_pointers[id] = const_cast<std::byte*>(data); }
    Pointers pointers() const { return m_pointers.data(); }
    // Bytes of the blocks. The scratch block counts as what lies in it when it is fullest; memory of somebody else does not count.
    const CategoryBytes& bytes() const { return m_needed; }
    std::size_t givenBytes(Category category) const { return m_given[static_cast<std::size_t>(category)]; }

private:
    struct Buffer {
        std::size_t bytes = 0;
        Category category{};
        bool isFeed = false;
        bool isLent = false;
        std::byte* given = nullptr;  // by placeAt()
        BufferId whole;              // itself, unless it is a part
        std::size_t offset = 0;      // in the whole, or in its block
        int first = std::numeric_limits<int>::max();
        int last = -1;
    };
    bool isPlaced(BufferId id) const;
    std::size_t place(Block block, std::size_t guardBytes);
    void share(std::size_t scratchBytes, std::size_t guardBytes);

    std::vector<Buffer> m_buffers;
    std::vector<std::byte*> m_pointers;
    CategoryBytes m_needed{};
    CategoryBytes m_given{};
    std::size_t m_guardBytes = 0;
};

}  // namespace lockstep::exec::cpu
