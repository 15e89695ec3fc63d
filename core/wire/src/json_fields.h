// Strict reading of JSON objects and doubles that may be NaN or infinite (kept as text, which JSON numbers can't).
#pragma once

#include <base/result.h>

#include <wire/rank_messages.h>

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace lockstep::wire {

using Json = nlohmann::json;

Json fromDouble(double value);
Json fromOptional(const std::optional<double>& value);
Json fromError(const Error& error);
Json fromDone(const RankDone& done);

// Reads fields of one object; the first that is absent or of another type is kept as the error.
class Fields {
public:
    // Parses `text`, at most `depth` levels deep.
    static Result<Fields> parse(std::string_view text);
    explicit Fields(Json object) : m_object(std::move(object)) {}

    std::string text(const char* name);
    std::int64_t integer(const char* name);
    std::uint64_t count(const char* name);
    double number(const char* name);
    std::optional<double> optionalNumber(const char* name);
    bool flag(const char* name);
    std::vector<int> integers(const char* name);
    std::vector<std::string> texts(const char* name);
    Error error(const char* name);
    // The fields of an object inside (none when it is not one): check() them too.
    Fields object(const char* name);
    // Marks a field as wrong.
    void refuse(const char* name) { wrong(name); }
    bool has(const char* name) const { return m_object.contains(name) && !m_object.at(name).is_null(); }
    // N411 naming the first field that was wrong.
    Result<void> check() const;

private:
    const Json* find(const char* name);
    void wrong(const char* name);
    Json m_object;
    std::string m_wrong;
};

Result<RankDone> readDone(Fields fields);

}  // namespace lockstep::wire
