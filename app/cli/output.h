// Everything the command line says. Results go to stdout; notes, progress, prompts and errors go to stderr. With --json stdout carries
// one JSON object (errors too), with --json=lines one object per line; nothing else ever reaches stdout then.
//
// Threads: line(), note(), detail(), event() may be called from any thread; they never tear a live progress line.
#pragma once

#include "progress_line.h"
#include "terminal.h"

#include <base/error.h>

#include <nlohmann/json.hpp>

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace lockstep::cli {

using Json = nlohmann::ordered_json;

enum class Format { Text, Object, Lines };
enum class Style { Plain, Bold, Dim, Good, Bad, Warn };

struct OutputOptions {
    Format format = Format::Text;
    bool quiet = false;  // -q: no notes, no progress
    int verbosity = 0;   // -v: details
    Terminal terminal;
};

class Output {
public:
    explicit Output(OutputOptions options);

    const OutputOptions& options() const { return m_options; }
    bool isJson() const { return m_options.format != Format::Text; }

    // Text result on stdout; ignored in the JSON formats.
    void line(std::string_view text);
    // The one object of --json, or one line of --json=lines. Ignored in Text.
    void json(const Json& object);
    // The same for an object that is already printed as JSON text without line breaks.
    void jsonText(std::string_view object);
    // One line of --json=lines; ignored in Text and in --json.
    void event(const Json& object);

    // What happened, for people: stderr, silent with -q.
    void note(std::string_view text);
    // More than most want to know: stderr, only with -v.
    void detail(std::string_view text);
    // An error: text on stderr, or {"error":{…}} on stdout in the JSON formats. Never silent.
    void error(const Error& error);
    // A warning with a code, in the same words as an error, on stderr; silent with -q.
    void warning(const Error& error);

    // Text in a style, with escape bytes only where stdout (line) or stderr (note) is a terminal that wants them.
    std::string onStdout(Style style, std::string_view text) const;
    std::string onStderr(Style style, std::string_view text) const;

    // The live line; draws nothing with -q.
    ProgressLine& progress() { return *m_progress; }

    // Asks on stderr and reads stdin. `fallback` without a terminal or with `noInput`.
    bool confirm(std::string_view question, bool fallback, bool noInput);

private:
    void writeOut(std::string_view text);
    void writeErr(std::string_view text);

    OutputOptions m_options;
    std::unique_ptr<ProgressLine> m_progress;
    std::mutex m_mutex;
};

// {"code","message","cause","next","exit"} (architecture 8); "trail" when there is one.
Json errorObject(const Error& error);

// Columns padded to their widest cell, two spaces between; the first row is the head. Cells may hold UTF-8. No trailing spaces.
std::string formatTable(const std::vector<std::vector<std::string>>& rows);

}  // namespace lockstep::cli
