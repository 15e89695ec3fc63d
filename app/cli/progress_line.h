// How far long work is, on stderr: one line that redraws itself on a terminal, an occasional plain line elsewhere, nothing with -q.
// Threads: any; the owner of the stream (Output) calls clear() before it writes so that lines never mix.
#pragma once

#include "terminal.h"

#include <base/clock.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::cli {

enum class ProgressMode { Silent, Live, Lines };

// A moment of the work. `total` 0 = unknown: no bar, no time left.
struct ProgressState {
    std::string label;  // "step", "starting ranks"
    std::uint64_t done = 0;
    std::uint64_t total = 0;
    std::string extra;  // "loss 0.4123  accuracy 0.88"
    std::string unit;   // of the rate: "steps/s"; empty = no rate shown
};

// Text of one line, at most `columns` wide, without escape bytes or line end. `perSecond` ≤ 0 = not known yet.
std::string renderProgress(const ProgressState& state, double perSecond, int columns);

class ProgressLine {
public:
    ProgressLine(ProgressMode mode, ColorMode color);
    ~ProgressLine();
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    // Draws at most ten times a second on a terminal; elsewhere on a new label and then at most every ten seconds.
    void update(const ProgressState& state);
    // Takes the live line away (terminal only), so that other text can be written; the next update draws it again.
    void clear();

private:
    using TimePoint = std::chrono::steady_clock::time_point;
    double rateAt(TimePoint now, const ProgressState& state);
    void write(std::string_view text);

    const ProgressMode m_mode;
    const ColorMode m_color;
    std::mutex m_mutex;
    bool m_drawn = false;
    std::optional<TimePoint> m_lastDraw;
    std::string m_label;
    std::deque<std::pair<TimePoint, std::uint64_t>> m_history;  // of the last seconds, for the rate
};

}  // namespace lockstep::cli
