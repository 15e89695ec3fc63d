#include "attributes.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace lockstep::graph {
namespace {

template <class T>
const T* find(const Attributes& attributes, std::string_view name) {
    const auto found = attributes.find(name);
    return found == attributes.end() ? nullptr : std::get_if<T>(&found->second);
}

template <class T>
const T& need(const Attributes& attributes, std::string_view name) {
    const T* value = find<T>(attributes, name);
    assert(value != nullptr);
    return *value;
}

bool isOneOf(const Attribute& attribute, std::initializer_list<std::string_view> words) {
    const auto* text = std::get_if<std::string>(&attribute);
    return text != nullptr && std::find(words.begin(), words.end(), *text) != words.end();
}

bool isInteger(const Attribute& attribute, std::int64_t least, std::int64_t most) {
    const auto* number = std::get_if<std::int64_t>(&attribute);
    return number != nullptr && *number >= least && *number <= most;
}

bool areDims(const Attribute& attribute, std::size_t least, std::size_t most) {
    const auto* dims = std::get_if<std::vector<std::int64_t>>(&attribute);
    if (dims == nullptr || dims->size() < least || dims->size() > most) return false;
    std::int64_t left = kMaxElements;
    for (const std::int64_t dim : *dims) {
        if (dim < 1 || dim > left) return false;
        left /= dim;
    }
    return true;
}

bool areOffsets(const Attribute& attribute) {
    const auto* list = std::get_if<std::vector<std::int64_t>>(&attribute);
    const auto isOffset = [](std::int64_t number) { return number >= 0 && number <= kMaxElements; };
    return list != nullptr && list->size() <= kMaxRank && std::all_of(list->begin(), list->end(), isOffset);
}

bool fits(const Attribute& attribute, AttributeKind kind) {
    const auto* real = std::get_if<double>(&attribute);
    switch (kind) {
        case AttributeKind::Flag: return isInteger(attribute, 0, 1);
        case AttributeKind::Count: return isInteger(attribute, 0, std::int64_t{1} << 31);
        case AttributeKind::Real: return real != nullptr && std::isfinite(*real);
        case AttributeKind::Positive: return real != nullptr && std::isfinite(*real) && *real > 0;
        case AttributeKind::Portion: return real != nullptr && *real >= 0 && *real <= 1;
        case AttributeKind::Text: return std::holds_alternative<std::string>(attribute);
        case AttributeKind::Type: return isOneOf(attribute, {"f32", "f64", "i32", "bf16", "f16"});
        case AttributeKind::Padding: return isOneOf(attribute, {"same", "valid"});
        case AttributeKind::Activation: return isOneOf(attribute, {"", "relu"});
        case AttributeKind::Pair: return areDims(attribute, 2, 2);
        case AttributeKind::Dims: return areDims(attribute, 0, kMaxRank);
        case AttributeKind::Offsets: return areOffsets(attribute);
        case AttributeKind::Whole: return std::holds_alternative<std::int64_t>(attribute);
    }
    return false;
}

std::string_view describe(AttributeKind kind) {
    switch (kind) {
        case AttributeKind::Flag: return "must be 0 or 1";
        case AttributeKind::Count: return "must be an integer from 0 on";
        case AttributeKind::Real: return "must be a finite real number";
        case AttributeKind::Positive: return "must be a finite real number above 0";
        case AttributeKind::Portion: return "must be a real number from 0 to 1";
        case AttributeKind::Text: return "must be text";
        case AttributeKind::Type: return "must be \"f32\", \"f64\" or \"i32\"";
        case AttributeKind::Padding: return "must be \"same\" or \"valid\"";
        case AttributeKind::Activation: return "must be \"\" or \"relu\"";
        case AttributeKind::Pair: return "must be two integers from 1 on";
        case AttributeKind::Dims: return "must be at most eight integers from 1 on, with a product of at most 2^40";
        case AttributeKind::Offsets: return "must be at most eight integers from 0 on";
        case AttributeKind::Whole: return "must be an integer";
    }
    return "is unknown";
}

Error wrong(const OpRow& row, std::string_view attribute, std::string_view what) {
    return makeError("S408", {{"op", std::string(row.name)}, {"attribute", std::string(attribute)}, {"what", std::string(what)}});
}

}  // namespace

std::int64_t intAttribute(const Attributes& attributes, std::string_view name) { return need<std::int64_t>(attributes, name); }

std::int64_t intAttributeOr(const Attributes& attributes, std::string_view name, std::int64_t fallback) {
    const auto* value = find<std::int64_t>(attributes, name);
    return value != nullptr ? *value : fallback;
}

double doubleAttribute(const Attributes& attributes, std::string_view name) { return need<double>(attributes, name); }

double doubleAttributeOr(const Attributes& attributes, std::string_view name, double fallback) {
    const auto* value = find<double>(attributes, name);
    return value != nullptr ? *value : fallback;
}

std::string_view textAttribute(const Attributes& attributes, std::string_view name) { return need<std::string>(attributes, name); }

std::string_view textAttributeOr(const Attributes& attributes, std::string_view name, std::string_view fallback) {
    const auto* value = find<std::string>(attributes, name);
    return value != nullptr ? std::string_view(*value) : fallback;
}

const std::vector<std::int64_t>& listAttribute(const Attributes& attributes, std::string_view name) {
    return need<std::vector<std::int64_t>>(attributes, name);
}

std::vector<std::int64_t> listAttributeOr(const Attributes& attributes, std::string_view name, std::vector<std::int64_t> fallback) {
    const auto* value = find<std::vector<std::int64_t>>(attributes, name);
    return value != nullptr ? *value : std::move(fallback);
}

Result<void> checkAttributes(const OpRow& row, const Attributes& attributes) {
    for (const auto& [name, value] : attributes) {
        const auto spec = std::find_if(row.attributes.begin(), row.attributes.end(), [&](const auto& s) { return s.name == name; });
        if (spec == row.attributes.end()) return wrong(row, name, "is unknown");
        if (!fits(value, spec->kind)) return wrong(row, name, describe(spec->kind));
    }
    for (const auto& spec : row.attributes) {
        if (spec.presence == Presence::Required && !attributes.contains(spec.name)) return wrong(row, spec.name, "is missing");
    }
    return {};
}

}  // namespace lockstep::graph
