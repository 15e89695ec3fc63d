// Log lines in blocks of a megabyte: a line costs its text and 24 bytes. When there are too many the oldest block goes.
#pragma once

#include <models/log_line.h>

#include <api/logs.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::models {

class LogStore {
public:
    struct Limits {
        std::size_t bytes = 192u << 20;  // of text
        std::size_t lines = 2'000'000;
    };
    struct Line {
        std::uint32_t offset = 0, length = 0;  // in the block's text
        double order = 0;                      // the latest time up to this line: never falls
        float behind = 0;                      // its own time is that much earlier
        std::int16_t rank = 0;
        LogLevel level{};
        bool goesOn : 1 = false;  // indented, or the end of a traceback: belongs to the line before it of its rank, and has its level
        bool dated : 1 = false;   // the time is its own; else that of a line before it
    };

    explicit LogStore(Limits limits) : m_limits(limits) {}

    void append(const api::LogLine& line);
    // How many lines must go, in whole blocks, until the limits hold again; dropExcess() lets them go.
    std::size_t excess() const;
    void dropExcess();
    void clear();

    // Lines have numbers that stay theirs: begin() is the oldest kept, end() one past the newest.
    std::uint64_t begin() const { return m_blocks.empty() ? m_end : m_blocks.front().first; }
    std::uint64_t end() const { return m_end; }
    // Precondition for all: begin() ≤ number < end().
    const Line& line(std::uint64_t number) const;
    std::string_view text(std::uint64_t number) const;

private:
    struct Block {
        std::uint64_t first = 0;
        std::string text;
        std::vector<Line> lines;
    };
    const Block& blockOf(std::uint64_t number) const;

    Limits m_limits;
    std::deque<Block> m_blocks;
    std::uint64_t m_end = 0;
    std::size_t m_bytes = 0;
    double m_order = 0;
    struct Last {
        LogLevel level = LogLevel::Info;
        bool goesOn = false;
    };
    std::map<int, Last> m_last;           // line of each rank
    mutable std::size_t m_lastBlock = 0;  // neighbours are asked for one after the other
};

}  // namespace lockstep::models
