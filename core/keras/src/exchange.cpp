#include "exchange.h"

#include "json.h"
#include "weights.h"

#include <base/catalogue.h>
#include <keras/safetensors.h>

#include <array>

namespace lockstep::keras {
namespace {

constexpr std::array<const char*, 2> kParts{"groups", "optimizer"};

Safetensors packError(const Error& error) {
    return {{{"error", error.code}, {"message", error.message}, {"cause", error.cause}, {"next", error.next}}, {}};
}

// "groups": [["conv2d", "conv1", 2], …]: path, layer name, number of tensors.
Value describe(const std::vector<WeightGroup>& groups) {
    Value::List rows;
    for (const WeightGroup& group : groups)
        rows.push_back(Value::List{group.path, group.layerName, static_cast<std::int64_t>(group.tensors.size())});
    return rows;
}

void moveTensors(std::vector<WeightGroup>& groups, Safetensors& to) {
    for (WeightGroup& group : groups)
        for (Tensor& tensor : group.tensors) to.tensors.push_back({std::to_string(to.tensors.size()), std::move(tensor)});
}

class Unpacker {
public:
    explicit Unpacker(const std::string& file) : m_file(file) {}

    Result<KerasFile> unpack(Safetensors& values) {
        if (const std::string* code = find(values, "error")) return unpackError(values, *code);
        const std::string *version = find(values, "keras_version"), *date = find(values, "date_saved"), *config = find(values, "config");
        if (version == nullptr || date == nullptr || config == nullptr) return noAnswer();
        KerasFile model{{*version, *date}, *config, {}, {}};
        LS_TRY(unpackGroups(values, kParts[0], model.groups));
        LS_TRY(unpackGroups(values, kParts[1], model.optimizer));
        if (m_next != values.tensors.size()) return noAnswer();
        return model;
    }

private:
    Error noAnswer() const { return makeError("F656", {{"file", m_file}, {"what", "gave an answer that is none"}}); }

    static const std::string* find(const Safetensors& values, std::string_view name) {
        for (const auto& [key, text] : values.metadata)
            if (key == name) return &text;
        return nullptr;
    }

    Result<KerasFile> unpackError(const Safetensors& values, const std::string& code) const {
        const CatalogueRow* row = findCatalogueRow(code);
        const std::string *message = find(values, "message"), *cause = find(values, "cause"), *next = find(values, "next");
        if (row == nullptr || message == nullptr || cause == nullptr || next == nullptr) return noAnswer();
        return Error{code, *message, *cause, *next, {}, row->exitCode};
    }

    Result<void> unpackGroups(Safetensors& values, const char* part, std::vector<WeightGroup>& to) {
        const std::string* text = find(values, part);
        std::string reason;
        const Value rows = text != nullptr ? parseJson(*text, reason) : Value();
        if (rows.list() == nullptr) return noAnswer();
        for (const Value& row : *rows.list()) {
            const auto* fields = row.list();
            if (fields == nullptr || fields->size() != 3 || !(*fields)[0].text() || !(*fields)[1].text()) return noAnswer();
            const auto count = (*fields)[2].integer().value_or(-1);
            if (count < 0 || static_cast<std::uint64_t>(count) > values.tensors.size() - m_next) return noAnswer();
            WeightGroup group{*(*fields)[0].text(), *(*fields)[1].text(), {}};
            for (std::int64_t i = 0; i < count; ++i) group.tensors.push_back(std::move(values.tensors[m_next++].tensor));
            to.push_back(std::move(group));
        }
        return {};
    }

    const std::string& m_file;
    std::size_t m_next = 0;
};

}  // namespace

Result<std::vector<std::byte>> packAnswer(Result<KerasFile> answer) {
    if (!answer.ok()) return printSafetensors(packError(answer.error()));
    KerasFile& model = *answer;
    Safetensors values;
    values.metadata = {{"keras_version", model.metadata.kerasVersion},
                       {"date_saved", model.metadata.dateSaved},
                       {"config", model.config},
                       {kParts[0], printJson(describe(model.groups))},
                       {kParts[1], printJson(describe(model.optimizer))}};
    moveTensors(model.groups, values);
    moveTensors(model.optimizer, values);
    return printSafetensors(values);
}

Result<KerasFile> unpackAnswer(std::span<const std::byte> bytes, const std::string& file) {
    auto values = parseSafetensors(bytes, file);
    if (!values.ok()) return makeError("F656", {{"file", file}, {"what", "gave an answer that is none"}});
    return Unpacker(file).unpack(*values);
}

}  // namespace lockstep::keras
