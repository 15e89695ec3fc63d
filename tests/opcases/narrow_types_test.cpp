// Every op in bfloat16 and float16: one rounding away from float64 of the same (rounded) operands, on ref and on cpu.
#include <support/test.h>

#include <case_run.h>
#include <exec_cpu/cpu_executor.h>
#include <exec_ref/ref_executor.h>
#include <graph/half.h>

#include <cmath>

using namespace lockstep;
using namespace lockstep::opcases;
using graph::DType;

class NarrowTypesTest : public QObject {
    Q_OBJECT

    const std::unique_ptr<exec::Executor> m_cpu = exec::cpu::makeCpuExecutor();
    const std::unique_ptr<exec::Executor> m_ref = exec::ref::makeRefExecutor();

    // The case with operands that the 16-bit type holds, so that both runs start from the same numbers.
    static std::vector<std::vector<double>> resultsOf(const OpCase& opCase, DType dtype, exec::Executor& executor, int threads,
                                                      std::vector<DType>* types = nullptr) {
        exec::CompileOptions options;
        options.threads = threads;
        options.guardBytes = 64;
        auto run = CaseRun::create(opCase, dtype, executor, options);
        if (!run.ok()) qWarning("%s", run.error().toText().c_str());
        if (!run.ok() || !run->run().ok() || !run->intact()) return {};
        std::vector<std::vector<double>> results;
        for (std::size_t i = 0; i < run->outputCount(); ++i) {
            results.push_back(run->output(i));
            if (types != nullptr) types->push_back(run->outputType(i));
        }
        const auto first = run->outputBytes(0);
        if (!run->run().ok() || first != run->outputBytes(0)) return {};
        return results;
    }

    static double step(DType dtype) { return dtype == DType::BF16 ? 0x1p-8 : 0x1p-11; }

    // Results of terms that cancel may lie a step apart.
    static double limitOf(graph::OpKind op, DType dtype) { return op == graph::OpKind::BatchNormalize ? 2 * step(dtype) : step(dtype) / 2; }

    // Where an activation is nearly flat only the absolute error of its slope means something.
    static double errorOf(graph::OpKind op, const std::vector<double>& found, const std::vector<double>& expected) {
        if (op != graph::OpKind::ActivateGrad) return normalisedError(found, expected);
        double difference = 0, size = 0;
        for (std::size_t i = 0; i < expected.size(); ++i) {
            difference += (found[i] - expected[i]) * (found[i] - expected[i]);
            size += std::max(expected[i] * expected[i], 1e-2);
        }
        return std::sqrt(difference / size);
    }

    void compare(const OpCase& opCase, DType dtype, exec::Executor& executor, int threads) {
        const auto support = supportOf(opCase, dtype, executor);
        VERIFY_OK(support);
        if (!support->supported) QSKIP(support->reason.c_str());
        std::vector<DType> types;
        const auto found = resultsOf(opCase, dtype, executor, threads, &types);
        QVERIFY(!found.empty());
        const auto expected = resultsOf(opCase, dtype, *m_ref, 1);
        for (std::size_t i = 0; i < found.size(); ++i) {
            // A float beside a tie may round to the neighbour; most do not.
            const double limit = graph::is16Bit(types[i]) ? limitOf(opCase.op, dtype) : 4e-6;
            const double error = errorOf(opCase.op, found[i], expected[i]);
            QVERIFY2(error < limit, qPrintable(QString("output %1: normalised error %2, %3 threads").arg(i).arg(error).arg(threads)));
            for (const double value : found[i])
                if (graph::is16Bit(types[i]) && std::isfinite(value))
                    QCOMPARE(static_cast<double>(graph::rounded(static_cast<float>(value), dtype)), value);
        }
    }

private slots:
    void everyCase_data() {
        QTest::addColumn<int>("index");
        QTest::addColumn<int>("dtype");
        for (const DType dtype : {DType::BF16, DType::F16})
            for (std::size_t i = 0; i < caseList().size(); ++i) {
                std::int64_t work = 1;
                for (const auto& operand : caseList()[i].operands) work = std::max(work, operand.shape.elements());
                if (!takes(caseList()[i].op, dtype) || work > 6000) continue;
                const std::string name = std::string(graph::nameOf(dtype)) + " " + caseList()[i].name;
                QTest::newRow(name.c_str()) << static_cast<int>(i) << static_cast<int>(dtype);
            }
    }
    void everyCase() {
        QFETCH(int, index);
        QFETCH(int, dtype);
        const OpCase& opCase = caseList()[static_cast<std::size_t>(index)];
        compare(opCase, static_cast<DType>(dtype), *m_cpu, 1);
        compare(opCase, static_cast<DType>(dtype), *m_cpu, 2);
    }

    // ref itself: each element is the float32 result of the same operands, rounded once.
    void refRoundsOnce_data() { everyCase_data(); }
    void refRoundsOnce() {
        QFETCH(int, index);
        QFETCH(int, dtype);
        const auto type = static_cast<DType>(dtype);
        const OpCase& opCase = caseList()[static_cast<std::size_t>(index)];
        if (opCase.op == graph::OpKind::Cast) QSKIP("its result has the type it names");
        std::vector<DType> types;
        const auto narrow = resultsOf(opCase, type, *m_ref, 1, &types);
        auto wide = CaseRun::create(opCase, DType::F32, *m_ref, {}, type);
        VERIFY_OK(wide);
        VERIFY_OK(wide->run());
        QVERIFY(!narrow.empty());
        for (std::size_t i = 0; i < narrow.size(); ++i) {
            const auto exact = wide->output(i);
            for (std::size_t k = 0; k < exact.size(); ++k) {
                const double expected =
                    graph::is16Bit(types[i]) ? static_cast<double>(graph::rounded(static_cast<float>(exact[k]), type)) : exact[k];
                QVERIFY(narrow[i][k] == expected || (std::isnan(expected) && std::isnan(narrow[i][k])));
            }
        }
    }

    // What takes no 16 bits says so.
    void othersAreRefused() {
        for (const auto& opCase : caseList())
            if (!takes(opCase.op, DType::BF16)) VERIFY_ERROR(buildCase(opCase, DType::BF16), "S403");
    }
};

LOCKSTEP_TEST(NarrowTypesTest)
#include "narrow_types_test.moc"
