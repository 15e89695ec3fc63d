#include "log_store.h"

#include <algorithm>
#include <iterator>

namespace lockstep::models {
namespace {

constexpr std::size_t kBlockBytes = 1u << 20;
constexpr std::size_t kBlockLines = 1u << 14;
constexpr std::size_t kLongestText = 64u << 10;  // of one line; nobody reads more of it on a screen

}  // namespace

void LogStore::append(const api::LogLine& line) {
    if (m_blocks.empty() || m_blocks.back().text.size() >= kBlockBytes || m_blocks.back().lines.size() >= kBlockLines) {
        m_blocks.push_back({m_end, {}, {}});
        m_blocks.back().text.reserve(kBlockBytes);
    }
    auto& block = m_blocks.back();
    auto text = cleanLine(line.text);
    if (text.size() > kLongestText) text.resize(kLongestText);
    auto& before = m_last[line.rank];
    const bool dated = isDated(text), indented = !text.empty() && text.front() == ' ';
    const auto own = indented ? std::nullopt : levelOfLine(text);
    // What is indented goes on with what was said before it: a traceback, a list. The name of the exception ends its traceback.
    const bool endsTraceback =
        !dated && before.goesOn && before.level == LogLevel::Error && own == LogLevel::Error && !text.starts_with("Traceback");
    const bool goesOn = indented || endsTraceback;
    const auto level = indented ? before.level : own.value_or(LogLevel::Info);
    before = {level, indented};
    m_order = std::max(m_order, line.time);
    const auto behind = line.time > 0 ? static_cast<float>(m_order - line.time) : 0.0F;
    block.lines.push_back({static_cast<std::uint32_t>(block.text.size()), static_cast<std::uint32_t>(text.size()), m_order, behind,
                           static_cast<std::int16_t>(line.rank), level, goesOn, dated});
    block.text += text;
    m_bytes += text.size();
    ++m_end;
}

std::size_t LogStore::excess() const {
    std::size_t lines = 0, bytes = 0;
    for (std::size_t i = 0; i + 1 < m_blocks.size(); ++i) {
        if (m_bytes - bytes <= m_limits.bytes && m_end - begin() - lines <= m_limits.lines) break;
        lines += m_blocks[i].lines.size();
        bytes += m_blocks[i].text.size();
    }
    return lines;
}

void LogStore::dropExcess() {
    for (auto lines = excess(); lines > 0;) {
        lines -= m_blocks.front().lines.size();
        m_bytes -= m_blocks.front().text.size();
        m_blocks.pop_front();
    }
}

void LogStore::clear() {
    m_blocks.clear();
    m_last.clear();
    m_bytes = 0;
    m_order = 0;
    m_end = 0;
}

const LogStore::Block& LogStore::blockOf(std::uint64_t number) const {
    const auto holds = [&](std::size_t i) {
        return i < m_blocks.size() && number >= m_blocks[i].first && number < m_blocks[i].first + m_blocks[i].lines.size();
    };
    if (!holds(m_lastBlock)) {
        const auto after = std::ranges::upper_bound(m_blocks, number, {}, &Block::first);
        m_lastBlock = static_cast<std::size_t>(std::prev(after) - m_blocks.begin());
    }
    return m_blocks[m_lastBlock];
}

const LogStore::Line& LogStore::line(std::uint64_t number) const {
    const auto& block = blockOf(number);
    return block.lines[number - block.first];
}

std::string_view LogStore::text(std::uint64_t number) const {
    const auto& block = blockOf(number);
    const auto& line = block.lines[number - block.first];
    return std::string_view(block.text).substr(line.offset, line.length);
}

}  // namespace lockstep::models
