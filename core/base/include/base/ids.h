// Identities. A strong type per kind of thing: a wrong id does not compile.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace lockstep {

template <class Tag, class Rep = std::uint32_t>
struct StrongId {
    Rep value{};
    auto operator<=>(const StrongId&) const = default;
};

// yyyymmdd-hhmmss-xxxx (UTC, four hex digits); sorts by start time.
struct RunId {
    std::string value;
    // The eight hex digits used in socket and shared-memory names: a hash of the id.
    std::string shortHex() const;
    auto operator<=>(const RunId&) const = default;
};

// A fresh id from the current time and the system's random source.
RunId newRunId();

// Whether `text` has the form of a run id.
bool isRunId(std::string_view text);

// `bytes` random bytes as hex, from the system's random source.
std::string randomHex(std::size_t bytes);

}  // namespace lockstep

template <class Tag, class Rep>
struct std::hash<lockstep::StrongId<Tag, Rep>> {
    std::size_t operator()(const lockstep::StrongId<Tag, Rep>& id) const noexcept { return std::hash<Rep>{}(id.value); }
};
