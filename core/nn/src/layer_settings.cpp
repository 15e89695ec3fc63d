#include "layer_settings.h"

#include <base/units.h>

#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lockstep::nn {
namespace {

template <class T>
std::optional<T> numberOf(std::string_view text) {
    T value{};
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::string textOf(const Named& named) {
    if (named.arguments.empty()) return named.name;
    std::string text = "{name: " + named.name;
    for (const auto& [key, value] : named.arguments) text += fmt::format(", {}: {}", key, formatDouble(value));
    return text + "}";
}

}  // namespace

Setting parseFallback(std::string_view text) {
    if (text == "null") return std::monostate{};
    if (text == "true" || text == "false") return text == "true";
    if (text.starts_with('[')) {
        std::vector<std::int64_t> list;
        for (std::string_view rest = text.substr(1); rest.size() > 1;) {
            const std::size_t end = rest.find_first_of(",]");
            list.push_back(numberOf<std::int64_t>(rest.substr(0, end)).value_or(0));
            rest.remove_prefix(std::min(rest.find_first_not_of(", ]", end), rest.size()));
        }
        return list;
    }
    if (const auto whole = numberOf<std::int64_t>(text)) return *whole;
    if (const auto real = numberOf<double>(text)) return *real;
    return std::string(text);
}

std::string toText(const Setting& setting) {
    struct Printer {
        std::string operator()(std::monostate) const { return "null"; }
        std::string operator()(bool flag) const { return flag ? "true" : "false"; }
        std::string operator()(std::int64_t number) const { return std::to_string(number); }
        std::string operator()(double number) const { return formatDouble(number); }
        std::string operator()(const std::string& word) const { return word; }
        std::string operator()(const std::vector<std::int64_t>& list) const { return fmt::format("[{}]", fmt::join(list, ", ")); }
        std::string operator()(const Named& named) const { return textOf(named); }
    };
    return std::visit(Printer{}, setting);
}

Setting LayerSettings::value(std::string_view name) const {
    if (const auto found = m_given.find(name); found != m_given.end()) return found->second;
    return parseFallback(findSetting(m_layer, name)->fallback);
}

bool LayerSettings::has(std::string_view name) const { return !std::holds_alternative<std::monostate>(value(name)); }

bool LayerSettings::flag(std::string_view name) const { return std::get<bool>(value(name)); }

std::int64_t LayerSettings::integer(std::string_view name) const { return std::get<std::int64_t>(value(name)); }

double LayerSettings::number(std::string_view name) const {
    const Setting setting = value(name);
    if (const auto* whole = std::get_if<std::int64_t>(&setting)) return static_cast<double>(*whole);
    return std::get<double>(setting);
}

std::string LayerSettings::word(std::string_view name) const {
    const Setting setting = value(name);
    return std::holds_alternative<std::monostate>(setting) ? std::string() : std::get<std::string>(setting);
}

std::vector<std::int64_t> LayerSettings::integers(std::string_view name) const {
    const Setting setting = value(name);
    if (const auto* one = std::get_if<std::int64_t>(&setting)) return {*one};
    return std::get<std::vector<std::int64_t>>(setting);
}

std::vector<std::int64_t> LayerSettings::pair(std::string_view name) const {
    std::vector<std::int64_t> list = integers(name);
    if (list.size() == 1) list.push_back(list[0]);
    return list;
}

std::array<std::int64_t, 4> LayerSettings::margins(std::string_view name) const {
    const std::vector<std::int64_t> list = integers(name);
    if (list.size() == 1) return {list[0], list[0], list[0], list[0]};
    if (list.size() == 2) return {list[0], list[0], list[1], list[1]};
    return {list[0], list[1], list[2], list[3]};
}

Named LayerSettings::named(std::string_view name) const {
    const Setting setting = value(name);
    if (const auto* word = std::get_if<std::string>(&setting)) return {*word, {}};
    if (std::holds_alternative<std::monostate>(setting)) return {};
    return std::get<Named>(setting);
}

}  // namespace lockstep::nn
