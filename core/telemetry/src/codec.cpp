#include <telemetry/codec.h>

#include <base/checksum.h>

#include <bit>

namespace lockstep::telemetry {
namespace {

constexpr unsigned char kVersion = 1;
constexpr std::size_t kChecksumBytes = 4;
// The shortest point: a byte per column.
constexpr std::size_t kLeastBytesPerPoint = 3;

std::uint64_t zigzag(std::uint64_t difference) { return difference << 1 ^ (std::uint64_t{0} - (difference >> 63)); }
std::uint64_t unzigzag(std::uint64_t coded) { return coded >> 1 ^ (std::uint64_t{0} - (coded & 1)); }

void putVarint(std::string& out, std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
    out += static_cast<char>(value);
}

// Second differences: a column that grows evenly becomes zeros.
class Predictor {
public:
    std::uint64_t code(std::uint64_t value) {
        const auto difference = value - m_last;
        const auto coded = zigzag(difference - m_difference);
        m_last = value;
        m_difference = difference;
        return coded;
    }
    std::uint64_t decode(std::uint64_t coded) {
        m_difference += unzigzag(coded);
        return m_last += m_difference;
    }

private:
    std::uint64_t m_last = 0;
    std::uint64_t m_difference = 0;
};

void putXor(std::string& out, std::uint64_t bits) {
    const auto leading = static_cast<unsigned>(std::countl_zero(bits)) / 8;
    const auto trailing = bits == 0 ? 0u : static_cast<unsigned>(std::countr_zero(bits)) / 8;
    out += static_cast<char>(leading << 4 | trailing);
    for (unsigned byte = trailing; byte < 8 - leading; ++byte) out += static_cast<char>(bits >> 8 * byte);
}

class Cursor {
public:
    Cursor(std::span<const std::byte> bytes, std::string_view name) : m_bytes(bytes), m_name(name) {}

    std::size_t left() const { return m_bytes.size() - m_at; }
    Error damaged(std::string what) const {
        return makeError("F614", {{"file", std::string(m_name)}, {"offset", std::to_string(m_at)}, {"what", std::move(what)}});
    }
    bool takeByte(std::uint64_t& value) {
        if (m_at == m_bytes.size()) return false;
        value = std::to_integer<std::uint64_t>(m_bytes[m_at++]);
        return true;
    }
    bool takeVarint(std::uint64_t& value) {
        value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            std::uint64_t byte = 0;
            if (!takeByte(byte) || (shift == 63 && byte > 1)) return false;
            value |= (byte & 0x7F) << shift;
            if (byte < 0x80) return true;
        }
        return false;
    }
    bool takeXor(std::uint64_t& bits) {
        std::uint64_t shape = 0;
        if (!takeByte(shape)) return false;
        const auto leading = shape >> 4;
        const auto trailing = shape & 15;
        if (leading + trailing > 8) return false;
        bits = 0;
        for (auto byte = trailing; byte < 8 - leading; ++byte) {
            std::uint64_t part = 0;
            if (!takeByte(part)) return false;
            bits |= part << 8 * byte;
        }
        return true;
    }

private:
    std::span<const std::byte> m_bytes;
    std::string_view m_name;
    std::size_t m_at = 0;
};

Result<std::vector<Point>> decodeColumns(Cursor& cursor, std::size_t count) {
    std::vector<Point> points(count);
    Predictor steps;
    Predictor times;
    std::uint64_t coded = 0;
    for (auto& point : points) {
        if (!cursor.takeVarint(coded)) return cursor.damaged("a step is cut off");
        point.step = steps.decode(coded);
    }
    for (auto& point : points) {
        if (!cursor.takeVarint(coded)) return cursor.damaged("a time is cut off");
        point.time = std::bit_cast<double>(times.decode(coded));
    }
    std::uint64_t bits = 0;
    for (auto& point : points) {
        if (!cursor.takeXor(coded)) return cursor.damaged("a value is cut off");
        bits ^= coded;
        point.value = std::bit_cast<double>(bits);
    }
    if (cursor.left() != 0) return cursor.damaged("there are bytes behind the last value");
    return points;
}

}  // namespace

std::string encodePoints(std::span<const Point> points) {
    std::string out;
    out.reserve(16 + points.size() * 12);
    out += static_cast<char>(kVersion);
    putVarint(out, points.size());
    Predictor steps;
    Predictor times;
    for (const auto& point : points) putVarint(out, steps.code(point.step));
    for (const auto& point : points) putVarint(out, times.code(std::bit_cast<std::uint64_t>(point.time)));
    std::uint64_t last = 0;
    for (const auto& point : points) {
        const auto bits = std::bit_cast<std::uint64_t>(point.value);
        putXor(out, bits ^ last);
        last = bits;
    }
    const auto checksum = crc32c(asBytes(out));
    for (unsigned byte = 0; byte < kChecksumBytes; ++byte) out += static_cast<char>(checksum >> 8 * byte);
    return out;
}

Result<std::vector<Point>> decodePoints(std::span<const std::byte> bytes, std::string_view nameForErrors, std::size_t most) {
    Cursor whole(bytes, nameForErrors);
    if (bytes.size() < 2 + kChecksumBytes) return whole.damaged("too short for points");
    if (bytes[0] != std::byte{kVersion}) return whole.damaged("points of a version this program does not know");
    const auto body = bytes.first(bytes.size() - kChecksumBytes);
    std::uint32_t checksum = 0;
    for (unsigned byte = 0; byte < kChecksumBytes; ++byte)
        checksum |= std::to_integer<std::uint32_t>(bytes[body.size() + byte]) << 8 * byte;
    if (checksum != crc32c(body)) return whole.damaged("the checksum of the points differs");
    Cursor cursor(body, nameForErrors);
    std::uint64_t count = 0;
    cursor.takeByte(count);
    if (!cursor.takeVarint(count)) return cursor.damaged("the number of points is cut off");
    if (count > most || count > cursor.left() / kLeastBytesPerPoint) return cursor.damaged("the number of points is impossible");
    return decodeColumns(cursor, static_cast<std::size_t>(count));
}

}  // namespace lockstep::telemetry
