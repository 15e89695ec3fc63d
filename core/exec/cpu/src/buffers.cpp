#include "buffers.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace lockstep::exec::cpu {
namespace {

constexpr std::size_t kAlignment = 64;

std::size_t aligned(std::size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace

void Arena::Free::operator()(std::byte* memory) const { std::free(memory); }

Arena::Arena(const std::array<std::size_t, kCategories>& bytes, std::byte fill) : m_bytes(bytes) {
    for (std::size_t c = 0; c < kCategories; ++c) {
        if (bytes[c] == 0) continue;
        m_blocks[c].reset(static_cast<std::byte*>(std::aligned_alloc(kAlignment, bytes[c])));
        std::memset(m_blocks[c].get(), static_cast<int>(fill), bytes[c]);
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

void Buffers::placeAt(BufferId id, std::byte* memory) { m_buffers[id].given = memory; }

// Largest first, each at the lowest place that is free for its whole life: simple, and near the peak for networks.
std::size_t Buffers::place(Category category, std::size_t guardBytes) {
    std::vector<Buffer*> order;
    for (BufferId id = 0; id < m_buffers.size(); ++id) {
        Buffer& buffer = m_buffers[id];
        if (buffer.isFeed || buffer.given != nullptr || buffer.whole != id || buffer.category != category || buffer.last < 0) continue;
        order.push_back(&buffer);
    }
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

void Buffers::plan(std::size_t guardBytes) {
    m_guardBytes = guardBytes;
    for (std::size_t c = 0; c < kCategories; ++c) m_needed[c] = place(static_cast<Category>(c), guardBytes);
    for (const Buffer& buffer : m_buffers)
        if (buffer.given != nullptr) m_given[static_cast<std::size_t>(buffer.category)] += aligned(buffer.bytes);
}

void Buffers::bind(const Arena& arena) {
    m_pointers.assign(m_buffers.size(), nullptr);
    for (BufferId id = 0; id < m_buffers.size(); ++id) {
        const Buffer& buffer = m_buffers[id];
        const Buffer& whole = m_buffers[buffer.whole];
        if (whole.isFeed || whole.last < 0) continue;
        std::byte* start = whole.given != nullptr ? whole.given : arena.block(whole.category) + whole.offset;
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
