#include <graph/graph.h>

#include "text.h"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lockstep::graph {
namespace {

std::string valueText(const Value& value) {
    return value.output == 0 ? fmt::format("%{}", value.node.value) : fmt::format("%{}.{}", value.node.value, value.output);
}

// The shortest digits that read back as the same number, always recognisable as a real.
std::string realText(double number) {
    std::string text = fmt::format("{}", number);
    if (text.find_first_of(".en") == std::string::npos) text += ".0";
    return text;
}

std::string attributeText(const Attribute& attribute) {
    if (const auto* number = std::get_if<std::int64_t>(&attribute)) return std::to_string(*number);
    if (const auto* real = std::get_if<double>(&attribute)) return realText(*real);
    if (const auto* text = std::get_if<std::string>(&attribute)) return quoted(*text);
    return fmt::format("[{}]", fmt::join(std::get<std::vector<std::int64_t>>(attribute), ", "));
}

std::string nodeText(const Node& node, std::size_t index) {
    std::string text = fmt::format("%{} = {} {}", index, opRow(node.op).name, quoted(node.name));
    std::vector<std::string> parts;
    for (const Value& value : node.inputs) parts.push_back(valueText(value));
    if (!parts.empty()) text += fmt::format(" ({})", fmt::join(parts, ", "));
    parts.clear();
    for (const auto& [name, value] : node.attributes) parts.push_back(fmt::format("{} = {}", name, attributeText(value)));
    if (!parts.empty()) text += fmt::format(" {{{}}}", fmt::join(parts, ", "));
    parts.clear();
    for (const auto& type : node.outputs) parts.push_back(type.toText());
    return text + fmt::format(" : {}\n", fmt::join(parts, ", "));
}

}  // namespace

std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\')
            out += {'\\', c};
        else if (byte < 0x20 || byte == 0x7f)
            out += fmt::format("\\x{:02x}", byte);
        else
            out += c;
    }
    return out + '"';
}

std::string print(const Graph& graph) {
    std::string text;
    for (std::size_t i = 0; i < graph.nodes().size(); ++i) text += nodeText(graph.nodes()[i], i);
    for (const auto& [name, value] : graph.outputs()) text += fmt::format("output {} = {}\n", quoted(name), valueText(value));
    return text;
}

}  // namespace lockstep::graph
