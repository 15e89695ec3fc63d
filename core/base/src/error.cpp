#include <base/error.h>

#include <base/catalogue.h>

#include <system_error>

namespace lockstep {
namespace {

std::string fill(std::string_view pattern, std::initializer_list<ErrorArgument> arguments) {
    std::string text;
    for (std::size_t i = 0; i < pattern.size();) {
        const auto close = pattern[i] == '{' ? pattern.find('}', i) : std::string_view::npos;
        if (close == std::string_view::npos) {
            text += pattern[i++];
            continue;
        }
        const auto name = pattern.substr(i + 1, close - i - 1);
        for (const auto& [key, value] : arguments)
            if (key == name) text += value;
        i = close + 1;
    }
    return text;
}

}  // namespace

Error makeError(std::string_view code, std::initializer_list<ErrorArgument> arguments) {
    const auto* row = findCatalogueRow(code);
    if (row == nullptr) {
        Error error;
        error.code = "X000";
        error.message = "Error code " + std::string(code) + " is not in the catalogue.";
        error.next = "Report this with the log.";
        return error;
    }
    Error error;
    error.code = code;
    error.message = fill(row->sentence, arguments);
    error.cause = fill(row->cause, arguments);
    error.next = fill(row->next, arguments);
    error.exitCode = row->exitCode;
    return error;
}

Error withContext(Error error, std::string doing) {
    error.trail.push_back(std::move(doing));
    return error;
}

std::string Error::toText() const {
    std::string text = code + ": " + message;
    for (const auto& doing : trail) text += "\n  while " + doing;
    if (!cause.empty()) text += "\n  cause: " + cause;
    if (!next.empty()) text += "\n  next:  " + next;
    return text;
}

std::string systemText(int errnoValue) { return std::generic_category().message(errnoValue); }

}  // namespace lockstep
