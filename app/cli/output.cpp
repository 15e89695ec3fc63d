#include "output.h"

#include <base/checksum.h>
#include <base/file.h>

#include <unistd.h>
#include <algorithm>
#include <cstdio>
#include <iostream>

namespace lockstep::cli {
namespace {

std::string_view escapeOf(Style style) {
    switch (style) {
        case Style::Plain: return "";
        case Style::Bold: return "\033[1m";
        case Style::Dim: return "\033[2m";
        case Style::Good: return "\033[32m";
        case Style::Bad: return "\033[31m";
        case Style::Warn: return "\033[33m";
    }
    return "";
}

std::string styled(ColorMode mode, Style style, std::string_view text) {
    if (mode == ColorMode::Plain || style == Style::Plain) return std::string(text);
    return std::string(escapeOf(style)).append(text).append("\033[0m");
}

// A closed stdout or a full disk must not hide the result of a command; there is nowhere left to report it.
void writeAllTo(int fd, std::string_view text) {
    [[maybe_unused]] const auto written = writeAll(fd, asBytes(text), fd == STDOUT_FILENO ? "stdout" : "stderr");
}

std::size_t columnsOf(std::string_view text) {
    // Code points are near enough for what the tables hold.
    return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string errorText(const Error& error) {
    std::string text = error.message;
    if (!error.cause.empty()) text += "\n  cause: " + error.cause;
    if (!error.next.empty()) text += "\n  next: " + error.next;
    for (const auto& doing : error.trail) text += "\n  while " + doing;
    return text;
}

}  // namespace

Output::Output(OutputOptions options)
    : m_options(std::move(options)),
      m_progress(std::make_unique<ProgressLine>(m_options.quiet                       ? ProgressMode::Silent
                                                : m_options.terminal.stderrIsTerminal ? ProgressMode::Live
                                                                                      : ProgressMode::Lines,
                                                m_options.terminal.stderrColor)) {}

void Output::writeOut(std::string_view text) {
    const std::scoped_lock lock(m_mutex);
    m_progress->clear();
    writeAllTo(STDOUT_FILENO, text);
}

void Output::writeErr(std::string_view text) {
    const std::scoped_lock lock(m_mutex);
    m_progress->clear();
    writeAllTo(STDERR_FILENO, text);
}

void Output::line(std::string_view text) {
    if (!isJson()) writeOut(std::string(text) + "\n");
}

void Output::json(const Json& object) {
    // Text from files and processes may hold broken UTF-8; a report with a replacement character beats no report.
    if (isJson()) writeOut(object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

void Output::jsonText(std::string_view object) {
    if (isJson()) writeOut(std::string(object) + "\n");
}

void Output::event(const Json& object) {
    if (m_options.format == Format::Lines) json(object);
}

void Output::note(std::string_view text) {
    if (!m_options.quiet) writeErr(std::string(text) + "\n");
}

void Output::detail(std::string_view text) {
    if (m_options.verbosity > 0 && !m_options.quiet) writeErr(onStderr(Style::Dim, text) + "\n");
}

void Output::error(const Error& error) {
    if (isJson()) {
        json(Json{{"error", errorObject(error)}});
        return;
    }
    writeErr(onStderr(Style::Bad, "error " + error.code + ":") + " " + errorText(error) + "\n");
}

void Output::warning(const Error& error) {
    if (!m_options.quiet) writeErr(onStderr(Style::Warn, "warning " + error.code + ":") + " " + errorText(error) + "\n");
}

std::string Output::onStdout(Style style, std::string_view text) const { return styled(m_options.terminal.stdoutColor, style, text); }
std::string Output::onStderr(Style style, std::string_view text) const { return styled(m_options.terminal.stderrColor, style, text); }

bool Output::confirm(std::string_view question, bool fallback, bool noInput) {
    if (noInput || !m_options.terminal.stdinIsTerminal) return fallback;
    writeErr(std::string(question) + " [y/N] ");
    std::string answer;
    if (!std::getline(std::cin, answer)) return false;
    return answer == "y" || answer == "Y" || answer == "yes";
}

Json errorObject(const Error& error) {
    Json object{{"code", error.code}, {"message", error.message}, {"cause", error.cause}, {"next", error.next}, {"exit", error.exitCode}};
    if (!error.trail.empty()) object["trail"] = error.trail;
    return object;
}

std::string formatTable(const std::vector<std::vector<std::string>>& rows) {
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columnsOf(row[i]));
    }
    std::string text;
    for (const auto& row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            line += row[i];
            if (i + 1 < row.size()) line += std::string(widths[i] - columnsOf(row[i]) + 2, ' ');
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += (text.empty() ? "" : "\n") + line;
    }
    return text;
}

}  // namespace lockstep::cli
