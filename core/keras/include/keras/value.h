// A JSON value without a JSON library: what the configuration of a layer is made of. Objects keep the order of the file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lockstep::keras {

class Value {
public:
    using List = std::vector<Value>;
    using Member = std::pair<std::string, Value>;
    using Object = std::vector<Member>;  // no name twice

    Value() = default;  // null
    Value(bool value) : m_value(value) {}
    Value(int value) : m_value(std::int64_t{value}) {}
    Value(std::int64_t value) : m_value(value) {}
    Value(double value) : m_value(value) {}
    Value(std::string value) : m_value(std::move(value)) {}
    Value(std::string_view value) : m_value(std::string(value)) {}
    Value(const char* value) : m_value(std::string(value)) {}
    Value(List value) : m_value(std::move(value)) {}
    Value(Object value) : m_value(std::move(value)) {}

    // Each gives nothing when the value is of another kind. number() also takes whole numbers.
    bool isNull() const { return std::holds_alternative<std::monostate>(m_value); }
    std::optional<bool> boolean() const;
    std::optional<std::int64_t> integer() const;
    std::optional<double> number() const;
    const std::string* text() const { return std::get_if<std::string>(&m_value); }
    const List* list() const { return std::get_if<List>(&m_value); }
    const Object* object() const { return std::get_if<Object>(&m_value); }
    List* list() { return std::get_if<List>(&m_value); }
    Object* object() { return std::get_if<Object>(&m_value); }

    // A member of an object; nullptr when this is none or has none of that name.
    const Value* find(std::string_view name) const;
    // The text of a member; empty when there is none.
    std::string textOf(std::string_view name) const;

    bool operator==(const Value& other) const;

private:
    std::variant<std::monostate, bool, std::int64_t, double, std::string, List, Object> m_value;
};

}  // namespace lockstep::keras
