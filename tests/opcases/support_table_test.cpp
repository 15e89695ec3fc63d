#include <support/test.h>

#include <case_run.h>
#include <exec_cpu/cpu_executor.h>
#include <exec_ref/ref_executor.h>

#include <set>

using namespace lockstep;
using namespace lockstep::opcases;
using graph::DType;
using graph::OpKind;

class SupportTableTest : public QObject {
    Q_OBJECT

    static bool isHandledByPrograms(OpKind op) { return op == OpKind::Input || op == OpKind::State || op == OpKind::AllReduce; }

private slots:
    void everyOpHasACase() {
        std::set<OpKind> seen;
        for (const auto& opCase : caseList()) seen.insert(opCase.op);
        for (const auto& row : graph::opTable())
            QVERIFY2(isHandledByPrograms(row.kind) || seen.contains(row.kind), std::string(row.name).c_str());
    }
    void namesAreUnique() {
        std::set<std::string> names;
        for (const auto& opCase : caseList()) QVERIFY2(names.insert(opCase.name).second, opCase.name.c_str());
    }
    // What supports() promises, compile() keeps; what it denies is refused with the reason.
    void supportsTellsTheTruth() {
        const auto cpu = exec::cpu::makeCpuExecutor();
        const auto ref = exec::ref::makeRefExecutor();
        for (auto* executor : {cpu.get(), ref.get()})
            for (const DType dtype : {DType::F32, DType::F64})
                for (const auto& opCase : caseList()) {
                    auto graph = buildCase(opCase, dtype);
                    VERIFY_OK(graph);
                    const auto& node = graph->node(*graph->find("op"));
                    std::vector<graph::TensorType> types;
                    for (const auto input : node.inputs) types.push_back(graph->type(input));
                    const auto support = executor->supports(node, types);
                    auto compiled = executor->compile(*graph, {});
                    QCOMPARE(compiled.ok(), support.supported);
                    if (!support.supported) VERIFY_ERROR(compiled, "S407");
                    QCOMPARE(support.supported, executor == ref.get() || dtype == DType::F32);
                }
    }
};

LOCKSTEP_TEST(SupportTableTest)
#include "support_table_test.moc"
