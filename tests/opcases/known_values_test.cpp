// Single ops of exec/ref in float64 against Keras 3 (tests/fixtures/opcases/make_keras.py made the numbers) and against numbers worked
// out by hand.
#include <support/scratch.h>
#include <support/test.h>

#include <base/file.h>
#include <case_run.h>
#include <exec_ref/ref_executor.h>

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

using namespace lockstep;
using namespace lockstep::opcases;
using graph::DType;
using nlohmann::json;

namespace {

graph::Attributes attributesOf(const json& object) {
    graph::Attributes attributes;
    for (const auto& [name, value] : object.items()) {
        if (value.is_number_integer())
            attributes.emplace(name, value.get<std::int64_t>());
        else if (value.is_number())
            attributes.emplace(name, value.get<double>());
        else if (value.is_string())
            attributes.emplace(name, value.get<std::string>());
        else
            attributes.emplace(name, value.get<std::vector<std::int64_t>>());
    }
    return attributes;
}

// "nan", "inf" and "-inf" are strings in JSON.
std::vector<double> numbersOf(const json& list) {
    std::vector<double> values;
    for (const json& value : list) values.push_back(value.is_string() ? std::stod(value.get<std::string>()) : value.get<double>());
    return values;
}

// A case of a file as a compiled graph with its operands.
class Run {
public:
    Run(const json& given, exec::Executor& executor) {
        std::vector<graph::Value> inputs;
        std::vector<std::pair<bool, std::vector<std::byte>>> operands;  // is it a State
        for (const json& operand : given.at("inputs")) {
            const DType dtype = operand.contains("integers") ? DType::I32 : DType::F64;
            const graph::TensorType type{dtype, graph::Shape(operand.at("shape").get<std::vector<std::int64_t>>())};
            const std::string name = "x" + std::to_string(inputs.size());
            const bool isState = operand.contains("state");
            inputs.push_back(isState ? m_graph.state(name, type, "weight").value() : m_graph.input(name, type).value());
            operands.emplace_back(isState, toBytes(numbersOf(operand.at("values")), dtype));
        }
        const auto& op = *graph::findOpRow(given.at("op").get<std::string>());
        const graph::NodeId node = m_graph.append(op.kind, "op", inputs, attributesOf(given.at("attributes"))).value();
        for (std::uint32_t i = 0; i < m_graph.node(node).outputs.size(); ++i) m_graph.setOutput("y" + std::to_string(i), {node, i});
        m_program = executor.compile(m_graph, {}).value();
        std::vector<const std::byte*> feeds;
        std::size_t states = 0;
        for (const auto& [isState, bytes] : operands) {
            if (isState)
                m_program->writeState(states++, bytes);
            else
                feeds.push_back(bytes.data());
        }
        m_done = m_program->run({feeds});
    }
    const Result<void>& done() const { return m_done; }
    std::size_t outputs() const { return m_graph.outputs().size(); }
    std::vector<double> output(std::size_t index) const { return toDoubles(m_program->output("y" + std::to_string(index)), DType::F64); }

private:
    graph::Graph m_graph;
    std::unique_ptr<exec::Program> m_program;
    Result<void> m_done;
};

}  // namespace

class KnownValuesTest : public QObject {
    Q_OBJECT

    std::vector<json> m_cases;
    const std::unique_ptr<exec::Executor> m_ref = exec::ref::makeRefExecutor();

private slots:
    void initTestCase() {
        for (const char* name : {"keras.json", "by_hand.json"}) {
            const auto file = readFile(test::sourceDir() / "tests/fixtures/opcases" / name);
            VERIFY_OK(file);
            const json all = json::parse(*file);
            for (const json& one : all.at("cases")) m_cases.push_back(one);
        }
    }
    void everyCase_data() {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < m_cases.size(); ++i)
            QTest::newRow(m_cases[i].at("name").get<std::string>().c_str()) << static_cast<int>(i);
    }
    void everyCase() {
        QFETCH(int, index);
        const json& given = m_cases[static_cast<std::size_t>(index)];
        const Run run(given, *m_ref);
        VERIFY_OK(run.done());
        QCOMPARE(run.outputs(), given.at("outputs").size());
        for (std::size_t i = 0; i < run.outputs(); ++i) {
            if (given.at("outputs")[i].is_null()) continue;
            const auto wanted = numbersOf(given.at("outputs")[i].at("values"));
            const auto got = run.output(i);
            QCOMPARE(got.size(), wanted.size());
            for (std::size_t at = 0; at < wanted.size(); ++at) {
                const double error = std::abs(got[at] - wanted[at]) / std::max(1.0, std::abs(wanted[at]));
                const bool bothAreNaN = std::isnan(got[at]) && std::isnan(wanted[at]);
                QVERIFY2(
                    error < 1e-12 || bothAreNaN,
                    qPrintable(
                        QString("output %1 at %2: %3, wanted %4").arg(i).arg(at).arg(got[at], 0, 'g', 17).arg(wanted[at], 0, 'g', 17)));
            }
        }
    }
};

LOCKSTEP_TEST(KnownValuesTest)
#include "known_values_test.moc"
