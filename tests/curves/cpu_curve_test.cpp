// exec/cpu in float32 against Keras in float64, within the tolerance recorded per step.
#include "curve_check.h"

#include <exec_cpu/cpu_executor.h>

using namespace lockstep;
using namespace lockstep::curves;

class CpuCurveTest : public QObject {
    Q_OBJECT

    test::Scratch m_scratch;
    data::Dataset m_mnist;
    const std::unique_ptr<exec::Executor> m_cpu = exec::cpu::makeCpuExecutor();

    void follow(const QString& name, int threads) {
        auto curve = readCurve(name.toStdString());
        VERIFY_OK(curve);
        exec::CompileOptions options;
        options.threads = threads;
        auto made = CurveRun::create(*curve, graph::DType::F32, *m_cpu, options, m_mnist.train);
        VERIFY_OK(made);
        double worst = 0;
        for (std::size_t i = 0; i < curve->losses.size(); ++i) {
            VERIFY_OK((*made)->step());
            const double loss = relative((*made)->output("loss"), curve->losses[i]);
            const double norm = relative((*made)->output("gradient_norm"), curve->gradientNorms[i]);
            QVERIFY2(loss <= curve->tolerances[i],
                     qPrintable(QString("step %1: loss is off by %2, allowed %3").arg(i + 1).arg(loss).arg(curve->tolerances[i])));
            QVERIFY2(norm <= curve->gradientNormTolerance, qPrintable(QString("step %1: gradient norm is off by %2").arg(i + 1).arg(norm)));
            worst = std::max(worst, loss / curve->tolerances[i]);
        }
        qInfo("%d threads: worst loss difference %.2g of the tolerance", threads, worst);
    }

private slots:
    void initTestCase() {
        auto loaded = loadMnist(m_scratch);
        VERIFY_OK(loaded);
        m_mnist = std::move(*loaded);
    }
    void follows_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : kCurves) QTest::newRow(name) << name;
    }
    void follows() {
        QFETCH(QString, name);
        follow(name, 1);
        follow(name, 2);
    }
    // Same inputs, same thread count: same bits, also in another program.
    void repeats() {
        auto curve = readCurve("cnn-adam");
        VERIFY_OK(curve);
        exec::CompileOptions options;
        options.threads = 2;
        auto first = CurveRun::create(*curve, graph::DType::F32, *m_cpu, options, m_mnist.train);
        auto second = CurveRun::create(*curve, graph::DType::F32, *m_cpu, options, m_mnist.train);
        VERIFY_OK(first);
        VERIFY_OK(second);
        for (int i = 0; i < 5; ++i) {
            VERIFY_OK((*first)->step());
            VERIFY_OK((*second)->step());
            QCOMPARE((*first)->output("loss"), (*second)->output("loss"));
        }
        for (std::size_t i = 0; i < (*first)->weights(); ++i) QVERIFY((*first)->weight(i) == (*second)->weight(i));
    }
};

LOCKSTEP_TEST(CpuCurveTest)
#include "cpu_curve_test.moc"
