#include "keras_settings.h"

#include <cctype>

#include <fmt/format.h>

namespace lockstep::imports {
namespace {

using keras::Value;
using nn::Setting;
using nn::SettingKind;

// [1, 2] or [[1, 2], [3, 4]]: all numbers in their order.
bool collect(const Value& value, std::vector<std::int64_t>& into) {
    if (const auto whole = value.integer()) {
        into.push_back(*whole);
        return true;
    }
    if (value.list() == nullptr) return false;
    for (const Value& item : *value.list())
        if (!collect(item, into)) return false;
    return true;
}

std::string lower(std::string word) {
    for (char& letter : word) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    return word;
}

// {"class_name": "L2", "config": {"l2": 0.001}}
std::optional<Setting> regularizerOf(const Value& value) {
    if (value.text() != nullptr) return nn::Named{*value.text(), {}};
    const Value* config = value.find("config");
    if (config == nullptr || config->object() == nullptr) return std::nullopt;
    nn::Named named{lower(value.textOf("class_name")), {}};
    if (named.name == "l1l2") named.name = "l1_l2";
    for (const auto& [name, argument] : *config->object()) {
        const auto number = argument.number();
        if (!number) return std::nullopt;
        named.arguments[name] = *number;
    }
    return named;
}

template <class Found>
std::optional<Setting> given(const Found& found) {
    if (!found) return std::nullopt;
    return Setting(*found);
}

}  // namespace

std::optional<Setting> settingOf(SettingKind kind, const Value& value) {
    if (value.isNull()) return Setting(std::monostate{});
    switch (kind) {
        case SettingKind::Flag: return given(value.boolean());
        case SettingKind::Integer: return given(value.integer());
        case SettingKind::Number: return given(value.number());
        case SettingKind::Word:
        case SettingKind::Activation: return value.text() == nullptr ? std::nullopt : std::optional<Setting>(*value.text());
        case SettingKind::Pair:
        case SettingKind::Integers:
        case SettingKind::Margins: {
            std::vector<std::int64_t> numbers;
            return collect(value, numbers) ? std::optional<Setting>(std::move(numbers)) : std::nullopt;
        }
        case SettingKind::Initializer: return std::nullopt;
        case SettingKind::Regularizer: return regularizerOf(value);
    }
    return std::nullopt;
}

bool meansNothing(const Value& value) {
    return value.isNull() || value.boolean() == false || (value.text() != nullptr && *value.text() == "channels_last");
}

std::string toText(const Value& value) {
    if (value.isNull()) return "null";
    if (const auto flag = value.boolean()) return *flag ? "true" : "false";
    if (const auto whole = value.integer()) return std::to_string(*whole);
    if (const auto number = value.number()) return fmt::format("{}", *number);
    if (value.text() != nullptr) return *value.text();
    if (value.list() != nullptr) {
        std::string text;
        for (const Value& item : *value.list()) text += (text.empty() ? "[" : ", ") + toText(item);
        return text + (text.empty() ? "[]" : "]");
    }
    return value.textOf("class_name").empty() ? "{…}" : value.textOf("class_name");
}

}  // namespace lockstep::imports
