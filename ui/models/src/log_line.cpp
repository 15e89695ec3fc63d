#include <models/log_line.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace lockstep::models {
namespace {

constexpr std::size_t kWordsSeen = 120;  // a level stands near the beginning
constexpr char kEscape = '\x1b';

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isLetter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

// '0' stands for any digit.
bool startsLike(std::string_view text, std::string_view shape) {
    if (text.size() < shape.size()) return false;
    for (std::size_t i = 0; i < shape.size(); ++i)
        if (shape[i] == '0' ? !isDigit(text[i]) : text[i] != shape[i]) return false;
    return true;
}

constexpr std::string_view kOurStamp = "0000-00-00T00:00:00.000Z ";

std::optional<LogLevel> levelOfLetter(char letter) {
    switch (letter) {
        case 'D': return LogLevel::Debug;
        case 'I': return LogLevel::Info;
        case 'W': return LogLevel::Warning;
        case 'E':
        case 'F': return LogLevel::Error;
        default: return std::nullopt;
    }
}

// "2026-03-01 12:00:00.123456: W tensorflow/…"
std::optional<LogLevel> levelOfTensorFlow(std::string_view line) {
    if (!startsLike(line, "0000-00-00 00:00:00")) return std::nullopt;
    const auto colon = line.find(": ", 19);
    if (colon == std::string_view::npos || colon > 32 || line.size() < colon + 4 || line[colon + 3] != ' ') return std::nullopt;
    return levelOfLetter(line[colon + 2]);
}

std::optional<LogLevel> levelOfWords(std::string_view line) {
    static constexpr std::array<std::pair<std::string_view, LogLevel>, 8> kWords = {{{"ERROR", LogLevel::Error},
                                                                                     {"CRITICAL", LogLevel::Error},
                                                                                     {"FATAL", LogLevel::Error},
                                                                                     {"WARNING", LogLevel::Warning},
                                                                                     {"WARN", LogLevel::Warning},
                                                                                     {"DEBUG", LogLevel::Debug},
                                                                                     {"INFO", LogLevel::Info},
                                                                                     {"Traceback (most", LogLevel::Error}}};
    const auto seen = line.substr(0, kWordsSeen);
    for (const auto& [word, level] : kWords) {
        const auto place = seen.find(word);
        if (place == std::string_view::npos) continue;
        const auto end = place + word.size();
        if ((place == 0 || !isLetter(seen[place - 1])) && (end >= seen.size() || !isLetter(seen[end]))) return level;
    }
    // "ValueError: …", "some.module.CustomError: …"
    const auto colon = seen.find(": ");
    if (colon == std::string_view::npos || seen.find(' ') < colon) return std::nullopt;
    const auto name = seen.substr(0, colon);
    return name.ends_with("Error") || name.ends_with("Exception") ? std::optional(LogLevel::Error) : std::nullopt;
}

// What a program says last, or the system of it.
bool saysTheEnd(std::string_view line) {
    if (startsLike(line, "error ") && line.size() > 12 && startsLike(line.substr(7), "000: ")) return true;
    for (const std::string_view words : {"terminate called", "Segmentation fault", "Aborted", "Killed", "Bus error", "Illegal instruction"})
        if (line.starts_with(words)) return true;
    return line.find(": Assertion `") != std::string_view::npos;
}

// Length of "rank 12: ", "controller: ", "agent: " at the beginning of the text.
std::size_t nameLength(std::string_view text) {
    for (const std::string_view name : {"controller: ", "agent: "})
        if (text.starts_with(name)) return name.size();
    constexpr std::string_view rank = "rank ";
    if (!text.starts_with(rank)) return 0;
    auto end = rank.size();
    while (end < text.size() && isDigit(text[end])) ++end;
    return end > rank.size() && text.substr(end).starts_with(": ") ? end + 2 : 0;
}

}  // namespace

std::optional<LogLevel> levelOfLine(std::string_view line) {
    if (startsLike(line, kOurStamp) && line.size() > kOurStamp.size() + 1 && line[kOurStamp.size() + 1] == ' ')
        if (const auto level = levelOfLetter(line[kOurStamp.size()])) return level;
    if (line.size() > 5 && line[5] == ' ' && startsLike(line.substr(1), "0000"))
        if (const auto level = levelOfLetter(line[0])) return level;
    if (const auto level = levelOfTensorFlow(line)) return level;
    if (saysTheEnd(line)) return LogLevel::Error;
    return levelOfWords(line);
}

bool isDated(std::string_view line) { return startsLike(line, kOurStamp); }

std::string_view messageOfLine(std::string_view line) {
    if (!startsLike(line, kOurStamp)) return line;
    line.remove_prefix(kOurStamp.size());
    if (line.size() > 1 && line[1] == ' ' && levelOfLetter(line[0])) line.remove_prefix(2);
    line.remove_prefix(nameLength(line));
    return line;
}

std::string cleanLine(std::string_view line) {
    while (!line.empty() && (line.back() == '\r' || line.back() == '\n')) line.remove_suffix(1);
    if (const auto overwritten = line.rfind('\r'); overwritten != std::string_view::npos) line.remove_prefix(overwritten + 1);
    const auto isControl = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == '\x7f'; };
    if (std::ranges::none_of(line, isControl)) return std::string(line);
    std::string clean;
    clean.reserve(line.size());
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == kEscape) {
            // "ESC [ parameters letter"; anything else loses its ESC only
            if (i + 1 < line.size() && line[i + 1] == '[')
                for (i += 2; i < line.size() && !(line[i] >= '@' && line[i] <= '~');) ++i;
        } else if (line[i] == '\t') {
            clean += "    ";
        } else if (!isControl(line[i])) {
            clean += line[i];
        }
    }
    return clean;
}

}  // namespace lockstep::models
