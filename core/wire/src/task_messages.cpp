#include <wire/task_messages.h>

namespace lockstep::wire {
namespace {

// On the wire: never renumber.
constexpr std::uint8_t kPoints = 32;
constexpr std::uint8_t kLog = 33;

constexpr std::size_t kHeader = 3;
constexpr std::size_t kLongestName = 200;

Frame encode(const FromRank& m) { return toFrame(m); }

Frame encode(const TaskPoints& m) {
    const auto rank = static_cast<std::uint16_t>(m.rank);
    const auto name = m.series.substr(0, kLongestName);
    std::string payload = {static_cast<char>(rank & 0xFF), static_cast<char>(rank >> 8), static_cast<char>(name.size())};
    return {kPoints, payload + name + m.bytes};
}

Frame encode(const TaskLog& m) { return {kLog, m.line}; }

Result<FromTask> readPoints(const std::string& payload) {
    const auto byteAt = [&](std::size_t place) { return static_cast<unsigned char>(payload[place]); };
    if (payload.size() < kHeader || payload.size() < kHeader + byteAt(2) || byteAt(2) > kLongestName)
        return makeError("N411", {{"reason", "a message with points is cut off"}});
    const std::size_t name = byteAt(2);
    TaskPoints m;
    m.rank = static_cast<std::int16_t>(byteAt(0) | byteAt(1) << 8);
    m.series = payload.substr(kHeader, name);
    m.bytes = payload.substr(kHeader + name);
    return FromTask(std::move(m));
}

}  // namespace

Frame toFrame(const FromTask& message) {
    return std::visit([](const auto& m) { return encode(m); }, message);
}

Result<FromTask> parseFromTask(const Frame& frame) {
    if (frame.type == kPoints) return readPoints(frame.payload);
    if (frame.type == kLog) return FromTask(TaskLog{frame.payload});
    LS_TRY_ASSIGN(auto message, parseFromRank(frame));
    return FromTask(std::move(message));
}

}  // namespace lockstep::wire
