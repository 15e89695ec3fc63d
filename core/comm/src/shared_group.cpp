#include "shared_group.h"

#include "reduce.h"

#include <algorithm>
#include <cstring>

namespace lockstep::comm {
namespace {

// Below this many bytes a second wait costs more than reading everything; of two ranks both ways read the same.
constexpr std::size_t kReadAllBelow = 16 << 10;
constexpr std::size_t kMostReserved = 1 << 15;

}  // namespace

SharedGroup::SharedGroup(std::unique_ptr<SharedSegment> segment, int rank, std::string transport, std::chrono::nanoseconds longestSpin)
    : m_channel(std::move(segment), rank, longestSpin),
      m_transport(std::move(transport)),
      m_sources(static_cast<std::size_t>(m_channel.size())),
      m_targets(m_sources.size()) {}

std::size_t SharedGroup::pieceBytes() const { return m_channel.halfBytes(); }

Result<void> SharedGroup::allReduce(const AllReduce& options) {
    const auto reserved = reservedAs(options.data);
    const Operation operation{Operation::Kind::AllReduce, options.element, reserved, options.data.size()};
    if (const auto wrong = misuse(operation, m_channel.size())) return *wrong;
    LS_TRY(m_channel.start(operation, options.deadline));
    if (reserved > 0) return sumInPlace(options.element, reserved);
    auto left = options.data;
    do {
        const auto piece = left.first(std::min(left.size(), pieceBytes()));
        left = left.subspan(piece.size());
        LS_TRY(m_channel.beginPiece());
        if (m_channel.size() <= 2 || piece.size() < kReadAllBelow)
            LS_TRY(sumByReadingAll(options.element, piece));
        else
            LS_TRY(sumByParts(options.element, piece));
    } while (!left.empty());
    return {};
}

Result<void> SharedGroup::sumByReadingAll(Element element, std::span<std::byte> piece) {
    if (!piece.empty()) std::memcpy(m_channel.half(m_channel.rank()), piece.data(), piece.size());
    m_channel.post(Phase::Contributed);
    m_bytesSent.fetch_add(piece.size(), std::memory_order_relaxed);
    LS_TRY(m_channel.waitForAll(Phase::Contributed));
    if (m_channel.size() == 1 || piece.empty()) return {};
    for (int rank = 0; rank < m_channel.size(); ++rank)
        m_sources[static_cast<std::size_t>(rank)] = rank == m_channel.rank() ? piece.data() : m_channel.half(rank);
    sumInOrder(element, piece.data(), m_sources, piece.size());
    return {};
}

Result<void> SharedGroup::sumByParts(Element element, std::span<std::byte> piece) {
    const auto size = static_cast<std::size_t>(m_channel.size());
    const auto me = static_cast<std::size_t>(m_channel.rank());
    const auto step = (piece.size() / size / kLine + 1) * kLine;
    const auto begin = [&](std::size_t part) { return std::min(part * step, piece.size()); };
    const auto bytes = [&](std::size_t part) { return begin(part + 1) - begin(part); };
    auto* own = m_channel.half(m_channel.rank());
    std::memcpy(own, piece.data(), begin(me));
    std::memcpy(own + begin(me + 1), piece.data() + begin(me + 1), piece.size() - begin(me + 1));
    m_channel.post(Phase::Contributed);
    m_bytesSent.fetch_add(piece.size(), std::memory_order_relaxed);
    LS_TRY(m_channel.waitForAll(Phase::Contributed));
    for (std::size_t rank = 0; rank < size; ++rank)
        m_sources[rank] = (rank == me ? piece.data() : m_channel.half(static_cast<int>(rank))) + begin(me);
    // The own part of the own slot holds no contribution: it takes the sum.
    sumInOrder(element, own + begin(me), m_sources, bytes(me));
    m_channel.post(Phase::Reduced);
    std::memcpy(piece.data() + begin(me), own + begin(me), bytes(me));
    for (std::size_t i = 1; i < size; ++i) {
        const auto rank = (me + i) % size;
        LS_TRY(m_channel.waitFor(static_cast<int>(rank), Phase::Reduced));
        std::memcpy(piece.data() + begin(rank), m_channel.half(static_cast<int>(rank)) + begin(rank), bytes(rank));
    }
    return {};
}

std::uint16_t SharedGroup::reservedAs(std::span<const std::byte> data) const {
    const auto found = std::ranges::find_if(m_reserved, [&](const Reserved& reserved) {
        return reserved.of(m_channel.rank()) == data.data() && reserved.bytes == data.size();
    });
    return found == m_reserved.end() ? 0 : static_cast<std::uint16_t>(found - m_reserved.begin() + 1);
}

Result<void> SharedGroup::sumInPlace(Element element, std::uint16_t which) {
    const Reserved& reserved = m_reserved[which - 1U];
    const auto size = static_cast<std::size_t>(m_channel.size());
    const auto me = static_cast<std::size_t>(m_channel.rank());
    const auto step = (reserved.bytes / size / kLine + 1) * kLine;
    const auto end = std::min((me + 1) * step, reserved.bytes);
    LS_TRY(m_channel.beginPiece());
    m_channel.post(Phase::Contributed);
    m_bytesSent.fetch_add(reserved.bytes, std::memory_order_relaxed);
    LS_TRY(m_channel.waitForAll(Phase::Contributed));
    const auto begin = std::min(me * step, end);
    for (std::size_t rank = 0; rank < size; ++rank) m_sources[rank] = m_targets[rank] = reserved.of(static_cast<int>(rank)) + begin;
    sumToAll(element, m_targets, m_sources, end - begin);
    m_channel.post(Phase::Reduced);
    // Afterwards nobody reads or writes this rank's memory any more.
    return m_channel.waitForAll(Phase::Reduced);
}

Result<std::span<std::byte>> SharedGroup::reserve(std::size_t bytes, Deadline deadline) {
    if (m_channel.size() == 1 || bytes < kReadAllBelow || m_reserved.size() >= kMostReserved || !m_channel.segment().hasFile())
        return std::span<std::byte>();
    const Operation operation{Operation::Kind::Reserve, Element::F32, 0, bytes};
    if (const auto wrong = misuse(operation, m_channel.size())) return *wrong;
    LS_TRY(m_channel.start(operation, deadline));
    LS_TRY(m_channel.beginPiece());
    if (m_channel.rank() == 0) m_channel.segment().extend(bytes);
    m_channel.post(Phase::Contributed);
    LS_TRY(m_channel.waitForAll(Phase::Contributed));
    const bool room = m_channel.segment().extended();
    if (room) {
        auto mapped = m_channel.segment().mapExtension(bytes);
        if (!mapped.ok()) {
            m_channel.abort(mapped.error());
            return mapped.error();
        }
        m_reserved.push_back({std::move(*mapped), bytes});
    }
    m_channel.post(Phase::Reduced);
    LS_TRY(m_channel.waitForAll(Phase::Reduced));
    return room ? std::span(m_reserved.back().of(m_channel.rank()), bytes) : std::span<std::byte>();
}

Result<void> SharedGroup::broadcast(const Broadcast& options) {
    const auto root = options.root;
    const Operation operation{Operation::Kind::Broadcast, Element::F32, static_cast<std::uint16_t>(root), options.data.size()};
    if (const auto wrong = misuse(operation, m_channel.size())) return *wrong;
    LS_TRY(m_channel.start(operation, options.deadline));
    auto left = options.data;
    do {
        const auto piece = left.first(std::min(left.size(), pieceBytes()));
        left = left.subspan(piece.size());
        LS_TRY(m_channel.beginPiece());
        if (m_channel.rank() == root) {
            if (!piece.empty()) std::memcpy(m_channel.half(root), piece.data(), piece.size());
            m_bytesSent.fetch_add(piece.size(), std::memory_order_relaxed);
        } else {
            LS_TRY(m_channel.waitFor(root, Phase::Contributed));
            if (!piece.empty()) std::memcpy(piece.data(), m_channel.half(root), piece.size());
        }
        m_channel.post(Phase::Contributed);
    } while (!left.empty());
    // The root returns when everyone has the data: a broadcast that returned without error reached all.
    return m_channel.rank() == root ? m_channel.waitForAll(Phase::Contributed) : Result<void>();
}

Result<void> SharedGroup::barrier(Deadline deadline) {
    LS_TRY(m_channel.start(Operation{}, deadline));
    LS_TRY(m_channel.beginPiece());
    m_channel.post(Phase::Contributed);
    return m_channel.waitForAll(Phase::Contributed);
}

GroupInfo SharedGroup::info() const {
    return {m_channel.epoch(), m_channel.rank(), m_channel.size(),
            m_transport,       m_channel.late(), m_bytesSent.load(std::memory_order_relaxed)};
}

std::vector<std::unique_ptr<Group>> makeThreadGroups(int size) {
    constexpr std::size_t kSlotBytes = 1 << 20;
    std::vector<std::unique_ptr<Group>> groups;
    int rank = 0;
    for (auto& segment : SharedSegment::makePrivate(size, kSlotBytes))
        groups.push_back(std::make_unique<SharedGroup>(std::move(segment), rank++, "threads", std::chrono::nanoseconds(0)));
    return groups;
}

Result<std::unique_ptr<Group>> joinSharedMemory(const SharedMemoryOptions& options) {
    LS_TRY_ASSIGN(auto segment, SharedSegment::join(options));
    return std::unique_ptr<Group>(std::make_unique<SharedGroup>(std::move(segment), options.rank, "shm", options.longestSpin));
}

}  // namespace lockstep::comm
