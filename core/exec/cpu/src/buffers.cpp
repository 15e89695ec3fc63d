#include "buffers.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <new>
#include <numeric>

#include <sys/mman.h>

namespace lockstep::exec::cpu {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20;

std::size_t aligned(std::size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace

void Arena::Free::operator()(std::byte* memory) const { std::free(memory); }

Arena::Arena(const CategoryBytes& bytes, std::byte fill) : m_bytes(bytes) {
    std::array<std::size_t, kBlocks> sizes{};
    for (std::size_t c = 0; c < kCategories; ++c) sizes[static_cast<std::size_t>(blockOf(static_cast<Category>(c)))] += bytes[c];
    for (std::size_t b = 0; b < kBlocks; ++b) {
        if (sizes[b] == 0) continue;
        const std::size_t alignment = sizes[b] < kHugePage ? kAlignment : kHugePage;
        const std::size_t size = (sizes[b] + alignment - 1) / alignment * alignment;
        m_blocks[b].reset(static_cast<std::byte*>(std::aligned_alloc(alignment, size)));
        if (!m_blocks[b]) throw std::bad_alloc();
        // Not the last, half used page: it would hold memory that nobody asked for.
        if (alignment == kHugePage) ::madvise(m_blocks[b].get(), sizes[b] / kHugePage * kHugePage, MADV_HUGEPAGE);
        std::memset(m_blocks[b].get(), static_cast<int>(fill), sizes[b]);
    }
}

BufferId Buffers::add(std::size_t bytes, Category category, Lifetime lifetime) {
    const auto id = static_cast<BufferId>(m_buffers.size());
    m_buffers.push_back({.bytes = bytes, .category = category, .whole = id});
    if (lifetime == Lifetime::Forever) keepForever(id);
    return id;
}

BufferId Buffers::part(BufferId whole, std::size_t offset) {
    m_buffers.push_back({.whole = whole, .offset = offset});
    return static_cast<BufferId>(m_buffers.size() - 1);
}

BufferId Buffers::feed() {
    const auto id = static_cast<BufferId>(m_buffers.size());
    m_buffers.push_back({.isFeed = true, .whole = id});
    return id;
}

void Buffers::touch(BufferId id, int step) {
    Buffer& buffer = m_buffers[m_buffers[id].whole];
    buffer.first = std::min(buffer.first, step);
    buffer.last = std::max(buffer.last, step);
}

void Buffers::keepForever(BufferId id) {
    Buffer& buffer = m_buffers[m_buffers[id].whole];
    buffer.first = 0;
    buffer.last = std::numeric_limits<int>::max();
}

void Buffers::placeAt(BufferId id, std::byte* memory) {
    m_buffers[id].isLent = true;
    m_buffers[id].given = memory;
}

bool Buffers::isPlaced(BufferId id) const {
    const Buffer& buffer = m_buffers[id];
    return !buffer.isFeed && !buffer.isLent && buffer.whole == id && buffer.last >= 0;
}

// Largest first, each at the lowest place that is free for its whole life: simple, and near the peak for networks.
std::size_t Buffers::place(Block block, std::size_t guardBytes) {
    std::vector<Buffer*> order;
    for (BufferId id = 0; id < m_buffers.size(); ++id)
        if (isPlaced(id) && blockOf(m_buffers[id].category) == block) order.push_back(&m_buffers[id]);
    std::ranges::stable_sort(order, [](const Buffer* a, const Buffer* b) { return a->bytes > b->bytes; });
    std::vector<Buffer*> placed;
    std::size_t total = 0;
    for (Buffer* buffer : order) {
        const std::size_t size = aligned(buffer->bytes + guardBytes) + aligned(guardBytes);
        std::size_t offset = 0;
        for (const Buffer* other : placed) {  // ascending by offset
            const bool together = guardBytes > 0 || (other->first <= buffer->last && buffer->first <= other->last);
            const std::size_t start = other->offset - aligned(guardBytes);
            if (!together) continue;
            if (offset + size <= start) break;
            offset = std::max(offset, other->offset + aligned(other->bytes + guardBytes));
        }
        buffer->offset = offset + aligned(guardBytes);
        total = std::max(total, offset + size);
        placed.insert(std::ranges::upper_bound(placed, buffer->offset, {}, &Buffer::offset), buffer);
    }
    return total;
}

// Tells how much of the scratch block is for what: gradients and workspace as they are when most bytes are in use, the rest (holes
// between buffers too) are activations.
void Buffers::share(std::size_t scratchBytes, std::size_t guardBytes) {
    std::map<int, CategoryBytes> entering, leaving;
    for (BufferId id = 0; id < m_buffers.size(); ++id) {
        const Buffer& buffer = m_buffers[id];
        if (!isPlaced(id) || blockOf(buffer.category) != Block::Scratch) continue;
        const auto category = static_cast<std::size_t>(buffer.category);
        const bool always = guardBytes > 0;
        entering[always ? 0 : buffer.first][category] += aligned(buffer.bytes);
        if (!always && buffer.last < std::numeric_limits<int>::max()) leaving[buffer.last + 1][category] += aligned(buffer.bytes);
    }
    CategoryBytes now{}, most{};
    std::size_t largest = 0;
    for (const auto& [step, more] : entering) {
        const auto end = leaving.upper_bound(step);
        for (auto gone = leaving.begin(); gone != end; gone = leaving.erase(gone))
            for (std::size_t c = 0; c < kCategories; ++c) now[c] -= gone->second[c];
        for (std::size_t c = 0; c < kCategories; ++c) now[c] += more[c];
        const std::size_t total = std::accumulate(now.begin(), now.end(), std::size_t{0});
        if (total > largest) {
            largest = total;
            most = now;
        }
    }
    const std::size_t gradients = most[static_cast<std::size_t>(Category::Gradient)];
    const std::size_t workspace = most[static_cast<std::size_t>(Category::Workspace)];
    m_needed[static_cast<std::size_t>(Category::Gradient)] = gradients;
    m_needed[static_cast<std::size_t>(Category::Workspace)] = workspace;
    m_needed[static_cast<std::size_t>(Category::Activation)] = scratchBytes - gradients - workspace;
}

void Buffers::plan(std::size_t guardBytes) {
    m_guardBytes = guardBytes;
    m_needed[static_cast<std::size_t>(Category::Weight)] = place(Block::Weights, guardBytes);
    m_needed[static_cast<std::size_t>(Category::Slot)] = place(Block::Slots, guardBytes);
    share(place(Block::Scratch, guardBytes), guardBytes);
    for (const Buffer& buffer : m_buffers)
        if (buffer.isLent) m_given[static_cast<std::size_t>(buffer.category)] += aligned(buffer.bytes);
}

void Buffers::bind(const Arena& arena) {
    m_pointers.assign(m_buffers.size(), nullptr);
    for (BufferId id = 0; id < m_buffers.size(); ++id) {
        const Buffer& buffer = m_buffers[id];
        const Buffer& whole = m_buffers[buffer.whole];
        if (whole.isFeed || whole.last < 0) continue;
        std::byte* start = whole.isLent ? whole.given : arena.block(blockOf(whole.category)) + whole.offset;
        m_pointers[id] = buffer.whole == id ? start : start + buffer.offset;
        if (buffer.whole == id && m_guardBytes > 0) std::memset(start, 0, buffer.bytes);
    }
}

bool Buffers::intact() const {
    const auto isGuard = [](std::byte value) { return value == kGuard; };
    for (BufferId id = 0; id < m_buffers.size(); ++id) {
        const Buffer& buffer = m_buffers[id];
        if (m_pointers[id] == nullptr || buffer.isFeed || buffer.whole != id) continue;
        const std::byte* end = m_pointers[id] + buffer.bytes;
        if (!std::all_of(m_pointers[id] - m_guardBytes, m_pointers[id], isGuard) || !std::all_of(end, end + m_guardBytes, isGuard))
            return false;
    }
    return true;
}

}  // namespace lockstep::exec::cpu
