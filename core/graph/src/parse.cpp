#include <graph/graph.h>

#include "scanner.h"

#include <fmt/format.h>

namespace lockstep::graph {
namespace {

constexpr std::size_t kMaxText = 16u << 20;

class Parser {
public:
    explicit Parser(std::string_view text) : m_scanner(text) {}

    Result<Graph> run() {
        while (!m_scanner.atEnd()) {
            if (m_scanner.accept('%'))
                LS_TRY(nodeLine());
            else
                LS_TRY(outputLine());
            LS_TRY(m_scanner.endLine());
        }
        return std::move(m_graph);
    }

private:
    Result<void> nodeLine() {
        LS_TRY_ASSIGN(const std::int64_t number, m_scanner.integer());
        if (number != static_cast<std::int64_t>(m_graph.nodes().size())) {
            return m_scanner.error(fmt::format("expected node %{}", m_graph.nodes().size()));
        }
        LS_TRY(m_scanner.expect('='));
        const std::string_view op = m_scanner.word();
        const OpRow* row = findOpRow(op);
        if (row == nullptr) return m_scanner.error(fmt::format("there is no operation \"{}\"", op));
        LS_TRY_ASSIGN(std::string name, m_scanner.quotedText());
        if (m_graph.find(name)) return m_scanner.error(fmt::format("the name \"{}\" is taken", name));
        LS_TRY_ASSIGN(std::vector<Value> inputs, inputList());
        LS_TRY_ASSIGN(Attributes attributes, attributeList());
        auto id = m_graph.append(row->kind, std::move(name), std::move(inputs), std::move(attributes));
        if (!id.ok()) return m_scanner.error(fmt::format("{} {}", id.error().code, id.error().message));
        return outputTypes(m_graph.node(*id));
    }

    Result<void> outputLine() {
        if (m_scanner.word() != "output") return m_scanner.error("expected a node (%…) or \"output\"");
        LS_TRY_ASSIGN(std::string name, m_scanner.quotedText());
        if (m_graph.outputs().contains(name)) return m_scanner.error(fmt::format("there are two outputs \"{}\"", name));
        LS_TRY(m_scanner.expect('='));
        LS_TRY(m_scanner.expect('%'));
        LS_TRY_ASSIGN(const Value value, valueAfterPercent());
        if (value.node.value >= m_graph.nodes().size() || value.output >= m_graph.node(value.node).outputs.size()) {
            return m_scanner.error("there is no such value");
        }
        m_graph.setOutput(std::move(name), value);
        return {};
    }

    // "3" or "3.1": digits, so that a number with a point is not read as a real.
    Result<Value> valueAfterPercent() {
        LS_TRY_ASSIGN(const std::uint32_t node, index());
        std::uint32_t output = 0;
        if (m_scanner.accept('.')) {
            LS_TRY_ASSIGN(output, index());
        }
        return Value{NodeId{node}, output};
    }

    Result<std::uint32_t> index() {
        const std::string_view digits = m_scanner.word();
        std::uint64_t number = 0;
        for (const char c : digits) {
            if (c < '0' || c > '9' || number > UINT32_MAX) return m_scanner.error("expected a node's number");
            number = number * 10 + static_cast<std::uint64_t>(c - '0');
        }
        if (digits.empty() || number > UINT32_MAX) return m_scanner.error("expected a node's number");
        return static_cast<std::uint32_t>(number);
    }

    Result<std::vector<Value>> inputList() {
        std::vector<Value> inputs;
        if (!m_scanner.accept('(')) return inputs;
        do {
            LS_TRY(m_scanner.expect('%'));
            LS_TRY_ASSIGN(const Value value, valueAfterPercent());
            inputs.push_back(value);
        } while (m_scanner.accept(','));
        LS_TRY(m_scanner.expect(')'));
        return inputs;
    }

    Result<Attributes> attributeList() {
        Attributes attributes;
        if (!m_scanner.accept('{')) return attributes;
        do {
            const std::string name(m_scanner.word());
            if (name.empty()) return m_scanner.error("expected the name of an attribute");
            LS_TRY(m_scanner.expect('='));
            LS_TRY_ASSIGN(Attribute value, attributeValue());
            if (!attributes.emplace(name, std::move(value)).second) return m_scanner.error(fmt::format("\"{}\" stands twice", name));
        } while (m_scanner.accept(','));
        LS_TRY(m_scanner.expect('}'));
        return attributes;
    }

    Result<Attribute> attributeValue() {
        if (m_scanner.accept('[')) {
            LS_TRY_ASSIGN(auto list, restOfList());
            return Attribute(std::move(list));
        }
        if (m_scanner.peekIs('"')) {
            LS_TRY_ASSIGN(std::string text, m_scanner.quotedText());
            return Attribute(std::move(text));
        }
        LS_TRY_ASSIGN(const auto number, m_scanner.number());
        if (const auto* integer = std::get_if<std::int64_t>(&number)) return Attribute(*integer);
        return Attribute(std::get<double>(number));
    }

    Result<std::vector<std::int64_t>> restOfList() {
        std::vector<std::int64_t> list;
        if (m_scanner.accept(']')) return list;
        do {
            LS_TRY_ASSIGN(const std::int64_t item, m_scanner.integer());
            list.push_back(item);
        } while (m_scanner.accept(','));
        LS_TRY(m_scanner.expect(']'));
        return list;
    }

    // The types are redundant: they must be those the op gives.
    Result<void> outputTypes(const Node& node) {
        LS_TRY(m_scanner.expect(':'));
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            if (i > 0) LS_TRY(m_scanner.expect(','));
            const auto dtype = dtypeNamed(m_scanner.word());
            LS_TRY(m_scanner.expect('['));
            LS_TRY_ASSIGN(auto dims, restOfList());
            if (!dtype || TensorType{*dtype, Shape(std::move(dims))} != node.outputs[i]) {
                return m_scanner.error(fmt::format("type {} is {}", i, node.outputs[i].toText()));
            }
        }
        return {};
    }

    Scanner m_scanner;
    Graph m_graph;
};

}  // namespace

Result<Graph> parse(std::string_view text) {
    if (text.size() > kMaxText) return Scanner(text).error("the text is longer than 16 MiB");
    return Parser(text).run();
}

}  // namespace lockstep::graph
