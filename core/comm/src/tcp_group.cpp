#include "tcp_group.h"

#include "reduce.h"

#include <algorithm>
#include <bit>

namespace lockstep::comm {
namespace {

// Above this many bytes the ring's smaller traffic outweighs its steps; two ranks send the same either way.
constexpr std::size_t kRingFrom = 64 << 10;
constexpr std::size_t kBroadcastPiece = 256 << 10;

}  // namespace

TcpGroup::TcpGroup(int rank, std::uint64_t epoch, std::vector<std::unique_ptr<TcpPeer>> peers, std::chrono::nanoseconds longestSpin)
    : m_channel(rank, std::move(peers), longestSpin), m_epoch(epoch) {}

Result<void> TcpGroup::allReduce(const AllReduce& options) {
    const Operation operation{Operation::Kind::AllReduce, options.element, 0, options.data.size()};
    if (const auto wrong = misuse(operation, m_channel.size())) return *wrong;
    Call call(m_channel, operation, options.deadline);
    LS_TRY(call.ready());
    if (m_channel.size() <= 2 || options.data.size() < kRingFrom) return sumByDoubling(call, options.data);
    return sumByRing(call, elementSize(options.element), options.data);
}

Result<void> TcpGroup::sumByDoubling(Call& call, std::span<std::byte> data) {
    const int size = m_channel.size();
    const int rank = m_channel.rank();
    const int power = static_cast<int>(std::bit_floor(static_cast<unsigned>(size)));
    const int extra = size - power;
    // The first 2 * extra ranks go in pairs: the even one hands its values to the odd one and waits for the sum.
    const bool paired = rank < 2 * extra;
    if (paired && rank % 2 == 0) {
        LS_TRY(call.exchange({.to = rank + 1, .send = data}));
        return call.exchange({.from = rank + 1, .receive = data});
    }
    if (paired) LS_TRY(call.exchange({.from = rank - 1, .receive = data, .addTo = data.data()}));
    const int place = paired ? rank / 2 : rank - extra;
    for (int distance = 1; distance < power; distance *= 2) {
        const int otherPlace = place ^ distance;
        const int other = otherPlace < extra ? otherPlace * 2 + 1 : otherPlace + extra;
        LS_TRY(call.exchange({.to = other, .send = data, .from = other, .receive = data, .addTo = data.data()}));
    }
    if (paired) return call.exchange({.to = rank - 1, .send = data});
    return {};
}

Result<void> TcpGroup::sumByRing(Call& call, std::size_t width, std::span<std::byte> data) {
    const auto size = static_cast<std::size_t>(m_channel.size());
    const auto rank = static_cast<std::size_t>(m_channel.rank());
    const auto step = (data.size() / width + size - 1) / size * width;
    const auto part = [&](std::size_t index) {
        const auto begin = std::min((index % size) * step, data.size());
        return data.subspan(begin, std::min(step, data.size() - begin));
    };
    const int next = static_cast<int>((rank + 1) % size);
    const int before = static_cast<int>((rank + size - 1) % size);
    for (std::size_t i = 0; i + 1 < size; ++i) {
        const auto into = part(rank + 2 * size - i - 1);
        LS_TRY(call.exchange({.to = next, .send = part(rank + size - i), .from = before, .receive = into, .addTo = into.data()}));
    }
    for (std::size_t i = 0; i + 1 < size; ++i)
        LS_TRY(call.exchange({.to = next, .send = part(rank + size - i + 1), .from = before, .receive = part(rank + size - i)}));
    return {};
}

Result<void> TcpGroup::broadcast(const Broadcast& options) {
    const Operation operation{Operation::Kind::Broadcast, Element::F32, static_cast<std::uint16_t>(options.root), options.data.size()};
    if (const auto wrong = misuse(operation, m_channel.size())) return *wrong;
    Call call(m_channel, operation, options.deadline);
    LS_TRY(call.ready());
    const int size = m_channel.size();
    const auto toRank = [&](int place) { return (place + options.root) % size; };
    const int place = (m_channel.rank() - options.root + size) % size;
    // A binomial tree: the lowest set bit of a place says which rank it hears from, the bits below it whom it tells.
    const int lowest = place == 0 ? static_cast<int>(std::bit_ceil(static_cast<unsigned>(size))) : place & -place;
    auto left = options.data;
    do {
        const auto piece = left.first(std::min(left.size(), kBroadcastPiece));
        left = left.subspan(piece.size());
        if (place != 0) LS_TRY(call.exchange({.from = toRank(place - lowest), .receive = piece}));
        for (int distance = lowest / 2; distance >= 1; distance /= 2)
            if (place + distance < size) LS_TRY(call.exchange({.to = toRank(place + distance), .send = piece}));
    } while (!left.empty());
    return {};
}

Result<void> TcpGroup::barrier(Deadline deadline) {
    Call call(m_channel, Operation{}, deadline);
    LS_TRY(call.ready());
    const int size = m_channel.size();
    for (int distance = 1; distance < size; distance *= 2)
        LS_TRY(call.exchange({.to = (m_channel.rank() + distance) % size, .from = (m_channel.rank() - distance + size) % size}));
    return {};
}

GroupInfo TcpGroup::info() const { return {m_epoch, m_channel.rank(), m_channel.size(), "tcp", m_channel.late(), m_channel.bytesSent()}; }

}  // namespace lockstep::comm
