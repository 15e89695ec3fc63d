#include <support/test.h>

#include <case_run.h>
#include <exec_cpu/cpu_executor.h>
#include <exec_ref/ref_executor.h>

#include <cmath>

using namespace lockstep;
using namespace lockstep::opcases;
using graph::DType;

class CpuAgainstRefTest : public QObject {
    Q_OBJECT

    const std::unique_ptr<exec::Executor> m_cpu = exec::cpu::makeCpuExecutor();
    const std::unique_ptr<exec::Executor> m_ref = exec::ref::makeRefExecutor();

    // A few terms of both signs, with factors rounded before: what is left may be much smaller than they are.
    static bool mayCancel(graph::OpKind op) { return op == graph::OpKind::BatchNormalize || op == graph::OpKind::BatchNormReduceGrad; }

    // Where an activation is nearly flat its slope is the difference of nearly equal numbers: only the absolute error means something.
    static double errorOf(graph::OpKind op, const std::vector<double>& found, const std::vector<double>& expected) {
        if (op != graph::OpKind::ActivateGrad) return normalisedError(found, expected);
        double worst = 0;
        for (std::size_t i = 0; i < expected.size(); ++i) worst = std::max(worst, std::abs(found[i] - expected[i]));
        return worst;
    }

    void compare(const OpCase& opCase, int threads) {
        exec::CompileOptions options;
        options.threads = threads;
        options.guardBytes = 64;
        const auto support = supportOf(opCase, DType::F32, *m_cpu);
        VERIFY_OK(support);
        if (!support->supported) QSKIP(("cpu: " + support->reason).c_str());
        auto cpu = CaseRun::create(opCase, DType::F32, *m_cpu, options);
        VERIFY_OK(cpu);
        auto ref = CaseRun::create(opCase, DType::F32, *m_ref, options);
        VERIFY_OK(ref);
        VERIFY_OK(cpu->run());
        VERIFY_OK(ref->run());
        for (std::size_t i = 0; i < ref->outputCount(); ++i) {
            const double error = errorOf(opCase.op, cpu->output(i), ref->output(i));
            // Ten roundings; sums of a thousand terms stay below because their errors partly cancel.
            QVERIFY2(error < (mayCancel(opCase.op) ? 4e-6 : 1e-6),
                     qPrintable(QString("output %1: normalised error %2, %3 threads").arg(i).arg(error).arg(threads)));
        }
        QVERIFY(cpu->intact());
        QVERIFY(ref->intact());
        const auto first = cpu->outputBytes(0);
        VERIFY_OK(cpu->run());
        QVERIFY2(first == cpu->outputBytes(0), "a second run gave other bits");
    }

private slots:
    void everyCase_data() {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < caseList().size(); ++i) QTest::newRow(caseList()[i].name.c_str()) << static_cast<int>(i);
    }
    void everyCase() {
        QFETCH(int, index);
        compare(caseList()[static_cast<std::size_t>(index)], 1);
        compare(caseList()[static_cast<std::size_t>(index)], 2);
    }

    // The oracle itself: float32 is the rounded float64.
    void refInBothTypes_data() { everyCase_data(); }
    void refInBothTypes() {
        QFETCH(int, index);
        const OpCase& opCase = caseList()[static_cast<std::size_t>(index)];
        auto single = CaseRun::create(opCase, DType::F32, *m_ref, {});
        VERIFY_OK(single);
        auto wide = CaseRun::create(opCase, DType::F64, *m_ref, {});
        VERIFY_OK(wide);
        VERIFY_OK(single->run());
        VERIFY_OK(wide->run());
        for (std::size_t i = 0; i < wide->outputCount(); ++i) QVERIFY(normalisedError(single->output(i), wide->output(i)) < 1e-7);
    }
};

LOCKSTEP_TEST(CpuAgainstRefTest)
#include "cpu_against_ref_test.moc"
