// The one error type. An error has a stable code, one sentence, the cause and the next step; the texts come from the catalogue
// (catalogue.h), so that command line, window and JSON say the same words.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep {

struct Error {
    std::string code;                // "F601"; families: see catalogue.h
    std::string message;             // one sentence, with a full stop
    std::string cause;               // why it happens, may be empty
    std::string next;                // what the person can do now
    std::vector<std::string> trail;  // what was being done, innermost first: "reading spec.yaml"
    int exitCode = 1;                // process exit code (architecture 8)

    // "F601: data.gz byte 12: expected …\n  cause: …\n  next: …"
    std::string toText() const;
    bool operator==(const Error&) const = default;
};

using ErrorArgument = std::pair<std::string_view, std::string>;

// Builds the error `code` of the catalogue, its {placeholders} replaced by `arguments`. An unknown code is a programming error:
// it gives code "X000" with the wanted code in the message (a test walks all codes used in the sources).
Error makeError(std::string_view code, std::initializer_list<ErrorArgument> arguments = {});

// The same error, with one more line in its trail.
Error withContext(Error error, std::string doing);

// Text for an errno value, thread safe.
std::string systemText(int errnoValue);

}  // namespace lockstep
