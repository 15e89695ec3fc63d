#include <support/test.h>

#include <case_run.h>
#include <exec_cpu/cpu_executor.h>
#include <exec_null/null_executor.h>
#include <exec_ref/ref_executor.h>

#include <set>

using namespace lockstep;
using namespace lockstep::opcases;
using graph::DType;
using graph::OpKind;

class SupportTableTest : public QObject {
    Q_OBJECT

    static bool isHandledByPrograms(OpKind op) { return op == OpKind::Input || op == OpKind::State || op == OpKind::AllReduce; }

    // A cast of labels to float32 has none in either run.
    static bool hasDoubles(const OpCase& opCase, DType dtype) {
        const auto graph = buildCase(opCase, dtype);
        for (const auto& node : graph->nodes())
            for (const auto& output : node.outputs)
                if (output.dtype == DType::F64) return true;
        return false;
    }

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
        exec::null::NullExecutor null;
        for (auto* executor : {cpu.get(), ref.get(), static_cast<exec::Executor*>(&null)})
            for (const DType dtype : {DType::F32, DType::F64})
                for (const auto& opCase : caseList()) {
                    const auto support = supportOf(opCase, dtype, *executor);
                    VERIFY_OK(support);
                    auto compiled = executor->compile(buildCase(opCase, dtype).value(), {});
                    QVERIFY2(compiled.ok() == support->supported, opCase.name.c_str());
                    if (!support->supported) VERIFY_ERROR(compiled, "S407");
                    QCOMPARE(support->reason.empty(), support->supported);
                    const bool any = executor != cpu.get();
                    QVERIFY2(support->supported || !any, opCase.name.c_str());
                    QVERIFY2(any || !support->supported || !hasDoubles(opCase, dtype), opCase.name.c_str());
                }
    }
    void nullRunsEveryCase() {
        exec::null::NullExecutor null;
        for (const auto& opCase : caseList()) {
            auto run = CaseRun::create(opCase, DType::F32, null, {});
            VERIFY_OK(run);
            VERIFY_OK(run->run());
            QVERIFY(run->intact());
        }
    }
    // Not a check: the table for people, one line per op, "supported of all cases" and why not.
    void supportTable() {
        const auto cpu = exec::cpu::makeCpuExecutor();
        const auto ref = exec::ref::makeRefExecutor();
        qInfo("%-28s %9s %9s %9s  %s", "op", "ref f32", "ref f64", "cpu f32", "why not");
        for (const auto& row : graph::opTable()) {
            int counts[3] = {}, all = 0;
            std::string why;
            for (const auto& opCase : caseList()) {
                if (opCase.op != row.kind) continue;
                ++all;
                counts[0] += supportOf(opCase, DType::F32, *ref)->supported ? 1 : 0;
                counts[1] += supportOf(opCase, DType::F64, *ref)->supported ? 1 : 0;
                const auto support = supportOf(opCase, DType::F32, *cpu).value();
                counts[2] += support.supported ? 1 : 0;
                if (!support.supported) why = "cpu: " + support.reason;
            }
            if (all == 0) continue;
            qInfo("%-28s %5d/%-3d %5d/%-3d %5d/%-3d  %s", row.name.data(), counts[0], all, counts[1], all, counts[2], all, why.c_str());
        }
    }
};

LOCKSTEP_TEST(SupportTableTest)
#include "support_table_test.moc"
