#include <keras/safetensors.h>

#include "json.h"

#include <base/file.h>

#include <algorithm>
#include <cstring>
#include <unordered_set>

namespace lockstep::keras {
namespace {

std::string_view wordOf(Element element) {
    switch (element) {
        case Element::F16: return "F16";
        case Element::BF16: return "BF16";
        case Element::F32: return "F32";
        case Element::F64: return "F64";
        case Element::I32: return "I32";
        case Element::I64: return "I64";
    }
    return {};
}

Error refused(const std::string& what) { return makeError("F659", {{"what", what}}); }

Result<std::string> headerOf(const Safetensors& values) {
    Value::Object header;
    if (!values.metadata.empty()) {
        Value::Object texts;
        for (const auto& [name, text] : values.metadata) texts.emplace_back(name, text);
        header.emplace_back("__metadata__", std::move(texts));
    }
    std::unordered_set<std::string_view> names;
    std::uint64_t at = 0;
    for (const auto& [name, tensor] : values.tensors) {
        if (name == "__metadata__" || !names.insert(name).second) return refused("two tensors are called \"" + printable(name) + "\"");
        if (bytesOf(tensor.element, tensor.shape) != tensor.bytes.size())
            return refused("tensor \"" + printable(name) + "\" has " + std::to_string(tensor.bytes.size()) +
                           " bytes, which does not fit its shape " + tensor.shape.toText());
        Value::List dims;
        for (const std::int64_t dim : tensor.shape.dims()) dims.emplace_back(dim);
        const auto begin = static_cast<std::int64_t>(at);
        at += tensor.bytes.size();
        header.emplace_back(name, Value::Object{{"dtype", wordOf(tensor.element)},
                                                {"shape", std::move(dims)},
                                                {"data_offsets", Value::List{begin, static_cast<std::int64_t>(at)}}});
    }
    std::string text = printJson(header);
    text.resize((text.size() + 7) / 8 * 8, ' ');  // the values begin at a multiple of eight
    if (text.size() > kMostSafetensorsHeader) return refused("its header has " + std::to_string(text.size()) + " bytes");
    return text;
}

}  // namespace

Result<std::vector<std::byte>> printSafetensors(const Safetensors& values) {
    LS_TRY_ASSIGN(const auto header, headerOf(values));
    std::size_t total = sizeof(std::uint64_t) + header.size();
    for (const auto& named : values.tensors) total += named.tensor.bytes.size();
    std::vector<std::byte> out(total);
    const std::uint64_t length = header.size();
    std::memcpy(out.data(), &length, sizeof length);
    std::memcpy(out.data() + sizeof length, header.data(), header.size());
    std::byte* at = out.data() + sizeof length + header.size();
    for (const auto& named : values.tensors) {
        const auto& bytes = named.tensor.bytes;
        at = std::copy(bytes.begin(), bytes.end(), at);
    }
    return out;
}

Result<void> writeSafetensors(const std::filesystem::path& path, const Safetensors& values) {
    LS_TRY_ASSIGN(const auto bytes, printSafetensors(values));
    return replaceFile(path, std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

}  // namespace lockstep::keras
