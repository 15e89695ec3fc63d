#include "progress_line.h"

#include <unistd.h>
#include <algorithm>
#include <cmath>
#include <cstdio>

namespace lockstep::cli {
namespace {

constexpr auto kLiveInterval = std::chrono::milliseconds(100);
constexpr auto kLineInterval = std::chrono::seconds(10);
constexpr auto kRateWindow = std::chrono::seconds(5);
constexpr std::size_t kBarCells = 20;

std::string barOf(double fraction) {
    const auto full = static_cast<std::size_t>(std::clamp(fraction, 0.0, 1.0) * kBarCells);
    std::string bar = "[" + std::string(full, '=');
    if (full < kBarCells) bar += ">" + std::string(kBarCells - full - 1, ' ');
    return bar + "]";
}

// 5:06, 1:02:03; coarse, since the estimate is.
std::string timeLeft(double seconds) {
    const auto whole = static_cast<long>(std::min(std::ceil(seconds), 359999.0));
    char text[32];
    if (whole >= 3600)
        std::snprintf(text, sizeof text, "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
    else
        std::snprintf(text, sizeof text, "%ld:%02ld", whole / 60, whole % 60);
    return text;
}

std::string rateText(double perSecond, const std::string& unit) {
    char text[32];
    std::snprintf(text, sizeof text, perSecond < 10 ? "%.2f" : perSecond < 100 ? "%.1f" : "%.0f", perSecond);
    return std::string(text) + " " + unit;
}

}  // namespace

std::string renderProgress(const ProgressState& state, double perSecond, int columns) {
    const auto width = static_cast<std::size_t>(std::max(columns, 20));
    std::string counter = state.label;
    if (state.total > 0)
        counter += " " + std::to_string(state.done) + "/" + std::to_string(state.total);
    else if (state.done > 0)
        counter += " " + std::to_string(state.done);

    std::string tail;
    if (!state.extra.empty()) tail += "  " + state.extra;
    if (perSecond > 0 && !state.unit.empty()) tail += "  " + rateText(perSecond, state.unit);
    if (perSecond > 0 && state.total > state.done) tail += "  ETA " + timeLeft(static_cast<double>(state.total - state.done) / perSecond);

    std::string text = counter;
    if (state.total > 0) {
        const auto bar = " " + barOf(static_cast<double>(state.done) / static_cast<double>(state.total));
        // The numbers matter more than the bar.
        if (counter.size() + bar.size() + tail.size() <= width) text += bar;
    }
    text += tail;
    if (text.size() > width) text.resize(width);
    return text;
}

ProgressLine::ProgressLine(ProgressMode mode, ColorMode color) : m_mode(mode), m_color(color) {}

ProgressLine::~ProgressLine() { clear(); }

double ProgressLine::rateAt(TimePoint now, const ProgressState& state) {
    if (!m_history.empty() && state.done < m_history.back().second) m_history.clear();
    m_history.emplace_back(now, state.done);
    while (m_history.size() > 2 && now - m_history.front().first > kRateWindow) m_history.pop_front();
    const auto span = std::chrono::duration<double>(now - m_history.front().first).count();
    return span < 0.2 ? 0.0 : static_cast<double>(state.done - m_history.front().second) / span;
}

void ProgressLine::update(const ProgressState& state) {
    if (m_mode == ProgressMode::Silent) return;
    const std::scoped_lock lock(m_mutex);
    const auto now = std::chrono::steady_clock::now();
    const bool newLabel = state.label != m_label;
    if (newLabel) {
        m_history.clear();
        m_label = state.label;
    }
    const auto interval = m_mode == ProgressMode::Live ? std::chrono::steady_clock::duration(kLiveInterval) : kLineInterval;
    if (!newLabel && m_lastDraw && now - *m_lastDraw < interval) return;
    m_lastDraw = now;
    const auto rate = rateAt(now, state);
    if (m_mode == ProgressMode::Lines) {
        write(renderProgress(state, rate, 200) + "\n");
        return;
    }
    // One column stays free: a full last column makes some terminals wrap.
    const auto text = renderProgress(state, rate, terminalColumns() - 1);
    // A terminal that takes no colours takes no erase sequence either: blanks overwrite what was there.
    if (m_color == ColorMode::Ansi)
        write("\r" + text + "\033[K");
    else
        write("\r" + text + std::string(static_cast<std::size_t>(std::max(0, terminalColumns() - 1 - static_cast<int>(text.size()))), ' '));
    m_drawn = true;
}

void ProgressLine::clear() {
    const std::scoped_lock lock(m_mutex);
    if (!m_drawn) return;
    if (m_color == ColorMode::Ansi)
        write("\r\033[K");
    else
        write("\r" + std::string(static_cast<std::size_t>(std::max(0, terminalColumns() - 1)), ' ') + "\r");
    m_drawn = false;
    m_lastDraw.reset();
}

void ProgressLine::write(std::string_view text) {
    while (!text.empty()) {
        const auto written = ::write(STDERR_FILENO, text.data(), text.size());
        if (written <= 0) return;  // nobody watches; the work goes on
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

}  // namespace lockstep::cli
