// Gradient rules of the op table, executed by exec/ref in float64, against central differences.
#include <support/test.h>

#include <case_run.h>
#include <exec_ref/ref_executor.h>
#include <graph/gradients.h>

#include <base/random.h>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace lockstep;
using namespace lockstep::opcases;
using graph::DType;

namespace {

// The case in float64 with the scalar L = Σ rᵢ·yᵢ (r random; the loss itself where the op is one): values and gradients.
class Differentiated {
public:
    enum class Role { Loss, Inner };
    static Result<std::unique_ptr<Differentiated>> create(const OpCase& opCase, Role role, exec::Executor& executor);

    // y at the operands' values with element `at` of operand `which` moved by `by`.
    Result<std::vector<double>> outputAt(std::size_t which, std::size_t at, double by);
    // dL/d(that element) by central differences. The difference is taken before the sum: most outputs do not move at all.
    struct Slope {
        double value = 0;
        double noise = 0;  // what the roundings of the outputs that move may add up to
    };
    Result<Slope> measured(std::size_t which, std::size_t at, double by);
    // dL/d(operand) as the rule says.
    std::vector<double> gradient(std::size_t which) const { return toDoubles(m_program->output("g" + std::to_string(which)), DType::F64); }
    std::size_t operands() const { return m_values.size(); }
    bool wants(std::size_t which) const { return m_wanted[which]; }
    std::size_t elements(std::size_t which) const { return m_values[which].size(); }

private:
    Result<void> appendGradients(const OpCase& opCase, graph::NodeId node);
    graph::Graph m_graph;
    std::vector<std::vector<double>> m_values;
    std::vector<bool> m_wanted;
    bool m_isLoss = false;
    std::vector<double> m_seed;  // r; empty: the output is the loss
    std::vector<DType> m_types;
    std::unique_ptr<exec::Program> m_program;
};

Result<std::unique_ptr<Differentiated>> Differentiated::create(const OpCase& opCase, Role role, exec::Executor& executor) {
    auto self = std::make_unique<Differentiated>();
    self->m_isLoss = role == Role::Loss;
    LS_TRY_ASSIGN(self->m_graph, buildCase(opCase, DType::F64));
    for (std::size_t i = 0; i < opCase.operands.size(); ++i) {
        self->m_values.push_back(operandValues(opCase, i));
        self->m_types.push_back(operandType(opCase, i, DType::F64));
    }
    LS_TRY(self->appendGradients(opCase, *self->m_graph.find("op")));
    LS_TRY_ASSIGN(self->m_program, executor.compile(self->m_graph, {}));
    return self;
}

Result<void> Differentiated::appendGradients(const OpCase& opCase, graph::NodeId id) {
    const graph::OpRow& row = graph::opRow(opCase.op);
    const graph::Node node = m_graph.node(id);  // a copy: appending moves the nodes
    std::vector<std::optional<graph::Value>> seeds;
    if (!m_isLoss) {
        LS_TRY_ASSIGN(const graph::Value seed, m_graph.input("seed", node.outputs[0]));
        seeds.resize(node.outputs.size());
        seeds[0] = seed;
        Philox random(99, 0);
        m_seed.resize(static_cast<std::size_t>(node.outputs[0].shape.elements()));
        for (double& value : m_seed) value = 2 * random.nextDouble() - 1;
    }
    std::set<graph::Value> wanted;
    for (std::size_t i = 0; i < node.inputs.size(); ++i)
        if (!opCase.operands[i].isConstant) wanted.insert(node.inputs[i]);
    graph::Gradients gradients(m_graph, wanted);
    LS_TRY(row.gradient(gradients, node, seeds));
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        const auto gradient = gradients.of(node.inputs[i]);
        m_wanted.push_back(gradient.has_value());
        if (gradient) m_graph.setOutput("g" + std::to_string(i), *gradient);
    }
    return {};
}

Result<std::vector<double>> Differentiated::outputAt(std::size_t which, std::size_t at, double by) {
    m_values[which][at] += by;
    std::vector<std::vector<std::byte>> bytes;
    for (std::size_t i = 0; i < m_values.size(); ++i) bytes.push_back(toBytes(m_values[i], m_types[i]));
    m_values[which][at] -= by;
    if (!m_seed.empty()) bytes.push_back(toBytes(m_seed, DType::F64));
    std::vector<const std::byte*> feeds;
    for (const auto& feed : bytes) feeds.push_back(feed.data());
    LS_TRY(m_program->run({feeds}));
    return toDoubles(m_program->output("y0"), DType::F64);
}

Result<Differentiated::Slope> Differentiated::measured(std::size_t which, std::size_t at, double by) {
    LS_TRY_ASSIGN(const auto above, outputAt(which, at, by));
    LS_TRY_ASSIGN(const auto below, outputAt(which, at, -by));
    Slope slope;
    for (std::size_t i = 0; i < above.size(); ++i) {
        if (above[i] == below[i]) continue;
        const double seed = m_seed.empty() ? 1.0 : m_seed[i];
        slope.value += seed * (above[i] - below[i]) / (2 * by);
        slope.noise += std::abs(seed * above[i]) * std::numeric_limits<double>::epsilon() / by;
    }
    return slope;
}

}  // namespace

class GradientTest : public QObject {
    Q_OBJECT

    const std::unique_ptr<exec::Executor> m_ref = exec::ref::makeRefExecutor();

    // At kinks of relu and max a difference quotient means nothing; the cases' random values stay 1e-5 away from them, ties do not.
    // Rounding has steps that are wider than the difference.
    static bool isSmooth(const OpCase& opCase) {
        if (opCase.op == graph::OpKind::Cast && graph::textAttribute(opCase.attributes, "dtype") != "f64") return false;
        for (const auto& operand : opCase.operands)
            if (operand.fill == Fill::Ties && opCase.op == graph::OpKind::MaxPool2D) return false;
        return true;
    }

    static bool canBeTheLoss(graph::OpKind op) {
        using enum graph::OpKind;
        return op == SoftmaxCrossEntropy || op == SquareSum || op == AbsSum || op == CategoricalCrossEntropy || op == BinaryCrossEntropy ||
               op == RegressionLoss;
    }

    void compare(const OpCase& opCase, Differentiated::Role role) {
        auto made = Differentiated::create(opCase, role, *m_ref);
        VERIFY_OK(made);
        Differentiated& function = **made;
        constexpr double kStep = 1e-6;
        bool any = false;
        for (std::size_t which = 0; which < function.operands(); ++which) {
            if (!function.wants(which)) continue;
            any = true;
            VERIFY_OK(function.outputAt(which, 0, 0));
            const auto exact = function.gradient(which);
            QCOMPARE(exact.size(), function.elements(which));
            const std::size_t stride = std::max<std::size_t>(1, exact.size() / (exact.size() > 2000 ? 6 : 24));
            for (std::size_t at = 0; at < exact.size(); at += stride) {
                const auto measured = function.measured(which, at, kStep);
                VERIFY_OK(measured);
                const double error = std::abs(measured->value - exact[at]);
                QVERIFY2(error < 1e-7 * std::max(1.0, std::abs(exact[at])) + measured->noise,
                         qPrintable(QString("operand %1 at %2: rule %3, differences %4")
                                        .arg(which)
                                        .arg(at)
                                        .arg(exact[at], 0, 'g', 12)
                                        .arg(measured->value, 0, 'g', 12)));
            }
        }
        QVERIFY(any);
    }

private slots:
    void againstDifferences_data() {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < caseList().size(); ++i) {
            const OpCase& opCase = caseList()[i];
            const auto isConstant = [](const Operand& operand) { return operand.isConstant; };
            if (std::ranges::all_of(opCase.operands, isConstant)) continue;
            std::int64_t work = 1;
            for (const auto& operand : opCase.operands) work = std::max(work, operand.shape.elements());
            if (graph::opRow(opCase.op).gradient != nullptr && isSmooth(opCase) && work < 12000)
                QTest::newRow(opCase.name.c_str()) << static_cast<int>(i);
        }
    }
    void againstDifferences() {
        QFETCH(int, index);
        const OpCase& opCase = caseList()[static_cast<std::size_t>(index)];
        compare(opCase, Differentiated::Role::Inner);
        if (canBeTheLoss(opCase.op)) compare(opCase, Differentiated::Role::Loss);
    }
};

LOCKSTEP_TEST(GradientTest)
#include "gradient_test.moc"
