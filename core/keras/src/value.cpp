#include <keras/value.h>

namespace lockstep::keras {

std::optional<bool> Value::boolean() const {
    const bool* value = std::get_if<bool>(&m_value);
    return value != nullptr ? std::optional(*value) : std::nullopt;
}

std::optional<std::int64_t> Value::integer() const {
    const std::int64_t* value = std::get_if<std::int64_t>(&m_value);
    return value != nullptr ? std::optional(*value) : std::nullopt;
}

std::optional<double> Value::number() const {
    if (const auto whole = integer()) return static_cast<double>(*whole);
    const double* value = std::get_if<double>(&m_value);
    return value != nullptr ? std::optional(*value) : std::nullopt;
}

const Value* Value::find(std::string_view name) const {
    const Object* members = object();
    if (members == nullptr) return nullptr;
    for (const auto& [key, value] : *members)
        if (key == name) return &value;
    return nullptr;
}

std::string Value::textOf(std::string_view name) const {
    const Value* member = find(name);
    return member != nullptr && member->text() != nullptr ? *member->text() : std::string();
}

bool Value::operator==(const Value& other) const { return m_value == other.m_value; }

}  // namespace lockstep::keras
