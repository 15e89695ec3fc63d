#include "tf_reading.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace lockstep::spec {
namespace {

AddressReading bad(std::string code, std::string what, std::size_t character) {
    AddressReading reading;
    reading.code = std::move(code);
    reading.what = std::move(what);
    reading.character = character;
    return reading;
}

bool isHostLetter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-' || c == '_'; }
bool isV6Letter(char c) { return std::isxdigit(static_cast<unsigned char>(c)) || c == ':' || c == '.' || c == '%'; }

AddressReading readPort(AddressReading reading, std::string_view port, std::size_t character) {
    if (port.empty()) return bad("T315", "there is no port", character);
    const bool digits = std::all_of(port.begin(), port.end(), [](char c) { return std::isdigit(static_cast<unsigned char>(c)); });
    if (!digits) return bad("T315", "\"" + std::string(port) + "\" is not a number", character);
    const auto [end, problem] = std::from_chars(port.data(), port.data() + port.size(), reading.address.port);
    if (problem != std::errc() || reading.address.port < 1 || reading.address.port > 65535) {
        return bad("T315", std::string(port) + " is out of range", character);
    }
    return reading;
}

}  // namespace

AddressReading readAddress(std::string_view text) {
    if (text.empty()) return bad("T316", "it is empty", 1);
    const std::size_t scheme = text.find("://");
    if (scheme != std::string_view::npos) return bad("T316", "a scheme has no place here", 1);
    AddressReading reading;
    std::size_t colon = 0;
    if (text.front() == '[') {
        const std::size_t close = text.find(']');
        if (close == std::string_view::npos) return bad("T316", "\"[\" is not closed", 1);
        const std::string_view inside = text.substr(1, close - 1);
        const auto wrong = std::find_if_not(inside.begin(), inside.end(), isV6Letter);
        if (inside.empty() || wrong != inside.end())
            return bad("T316", "this is no IPv6 address", static_cast<std::size_t>(wrong - inside.begin()) + 2);
        reading.address.host = inside;
        colon = close + 1;
    } else {
        colon = std::min(text.find(':'), text.size());
        const std::string_view host = text.substr(0, colon);
        const auto wrong = std::find_if_not(host.begin(), host.end(), isHostLetter);
        const auto place = static_cast<std::size_t>(wrong - host.begin());
        if (wrong != host.end())
            return bad("T316", *wrong == '@' ? "a user name has no place here" : "a letter that no host name has", place + 1);
        if (host.empty()) return bad("T316", "there is no host", 1);
        if (text.find(':', colon + 1) != std::string_view::npos)
            return bad("T316", "a second \":\" (an IPv6 address stands in brackets)", text.find(':', colon + 1) + 1);
        reading.address.host = host;
    }
    if (colon >= text.size()) return bad("T315", "there is no port", text.size() + 1);
    if (text[colon] != ':') return bad("T316", "expected \":\"", colon + 1);
    return readPort(std::move(reading), text.substr(colon + 1), colon + 2);
}

bool isLoopback(std::string_view host) {
    return host == "localhost" || host.starts_with("127.") || host == "::1" || host == "localhost.localdomain" || host == "0:0:0:0:0:0:0:1";
}

std::string labelOf(std::string_view type, std::int64_t index) { return std::string(type) + " " + std::to_string(index); }

void TfFindings::add(std::string_view code, Severity severity, int task, JsonPosition at, std::initializer_list<ErrorArgument> arguments) {
    add(code, severity, task, arguments);
    m_all.back().finding.line = at.line;
    m_all.back().finding.column = at.column;
}

void TfFindings::add(std::string_view code, Severity severity, int task, std::initializer_list<ErrorArgument> arguments) {
    TfFinding one;
    one.error = makeError(code, arguments);
    one.finding.code = one.error.code;
    one.finding.severity = severity;
    one.finding.task = task;
    one.finding.message = one.error.message;
    one.finding.next = one.error.next;
    m_all.push_back(std::move(one));
}

std::vector<TfFinding> TfFindings::take() {
    const auto key = [](const TfFinding& one) { return std::tuple(one.finding.task, one.finding.line, one.finding.column); };
    std::stable_sort(m_all.begin(), m_all.end(), [&](const TfFinding& a, const TfFinding& b) { return key(a) < key(b); });
    return std::move(m_all);
}

}  // namespace lockstep::spec
