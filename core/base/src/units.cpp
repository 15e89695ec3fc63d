#include <base/units.h>

#include <array>
#include <charconv>
#include <cmath>
#include <span>

#include <fmt/format.h>

namespace lockstep {
namespace {

struct Unit {
    std::string_view name;
    double factor;
};

constexpr Unit kByteUnits[] = {{"", 1},     {"B", 1},        {"kB", 1e3},        {"KB", 1e3},           {"MB", 1e6},
                               {"GB", 1e9}, {"KiB", 1024.0}, {"MiB", 1048576.0}, {"GiB", 1073741824.0}, {"TiB", 1099511627776.0},
                               {"TB", 1e12}};
constexpr Unit kTimeUnits[] = {{"ms", 1e-3}, {"s", 1}, {"m", 60}, {"min", 60}, {"h", 3600}};

// Number and unit of `text`, or a negative number.
double parseQuantity(std::string_view text, std::span<const Unit> units) {
    double number = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (status != std::errc() || !std::isfinite(number) || number < 0) return -1;
    auto rest = text.substr(static_cast<std::size_t>(end - text.data()));
    while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
    for (const auto& unit : units)
        if (unit.name == rest) return number * unit.factor;
    return -1;
}

}  // namespace

Result<std::uint64_t> parseBytes(std::string_view text) {
    const double bytes = parseQuantity(text, kByteUnits);
    if (bytes < 0 || bytes > 9e18)
        return makeError("S308", {{"text", std::string(text)},
                                  {"what", "a number of bytes"},
                                  {"why", "Units are B, kB, MB, GB, KiB, MiB, GiB."},
                                  {"example", "25MiB"}});
    return static_cast<std::uint64_t>(bytes);
}

Result<Seconds> parseDuration(std::string_view text) {
    const double seconds = parseQuantity(text, kTimeUnits);
    if (!(seconds > 0))
        return makeError("S308",
                         {{"text", std::string(text)}, {"what", "a duration"}, {"why", "Units are ms, s, m, h."}, {"example", "30s"}});
    return Seconds(seconds);
}

std::string formatBytes(std::uint64_t bytes) {
    constexpr std::array<std::string_view, 5> kNames = {"B", "KiB", "MiB", "GiB", "TiB"};
    auto value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (value >= 1024 && unit + 1 < kNames.size()) {
        value /= 1024;
        ++unit;
    }
    return unit == 0 || value == std::floor(value) ? fmt::format("{:.0f} {}", value, kNames[unit])
                                                   : fmt::format("{:.1f} {}", value, kNames[unit]);
}

std::string formatDuration(Seconds time) {
    const double s = time.count();
    if (s < 1e-3) return fmt::format("{:.0f} µs", s * 1e6);
    if (s < 1) return fmt::format("{:.0f} ms", s * 1e3);
    if (s < 60) return fmt::format("{:.1f} s", s);
    const auto whole = static_cast<long long>(s + 0.5);
    if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
    return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string formatDouble(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    std::array<char, 40> text{};
    const auto [end, status] = std::to_chars(text.data(), text.data() + text.size(), value);
    return std::string(text.data(), end);
}

}  // namespace lockstep
