// exec/ref in float64 against Keras in float64: losses, gradient norms and final weights to 1e-9.
#include "curve_check.h"

#include <exec_ref/ref_executor.h>

using namespace lockstep;
using namespace lockstep::curves;

class RefCurveTest : public QObject {
    Q_OBJECT

    test::Scratch m_scratch;
    data::Dataset m_mnist;
    const std::unique_ptr<exec::Executor> m_ref = exec::ref::makeRefExecutor();

private slots:
    void initTestCase() {
        auto loaded = loadMnist(m_scratch);
        VERIFY_OK(loaded);
        m_mnist = std::move(*loaded);
    }
    void recordedRowsFollowTheRule() {
        const auto rows = recordedRows(64);
        QCOMPARE(rows[0], std::size_t{51715});
        QCOMPARE(rows[1], std::size_t{46906});
        QCOMPARE(int{m_mnist.train.labels[rows[0]]}, 8);
        QCOMPARE(int{m_mnist.train.labels[rows[63]]}, 9);
    }
    void follows_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : kCurves) QTest::newRow(name) << name;
    }
    void follows() {
        QFETCH(QString, name);
        auto curve = readCurve(name.toStdString());
        VERIFY_OK(curve);
        auto made = CurveRun::create(*curve, graph::DType::F64, *m_ref, {}, m_mnist.train);
        VERIFY_OK(made);
        CurveRun& run = **made;
        double worst = 0;
        for (std::size_t i = 0; i < curve->losses.size(); ++i) {
            VERIFY_OK(run.step());
            const double loss = relative(run.output("loss"), curve->losses[i]);
            const double norm = relative(run.output("gradient_norm"), curve->gradientNorms[i]);
            QVERIFY2(loss < 1e-9, qPrintable(QString("step %1: loss is off by %2").arg(i + 1).arg(loss)));
            QVERIFY2(norm < 1e-9, qPrintable(QString("step %1: gradient norm is off by %2").arg(i + 1).arg(norm)));
            worst = std::max(worst, loss);
        }
        QCOMPARE(run.weights(), curve->finalWeights.size());
        for (std::size_t i = 0; i < run.weights(); ++i) {
            const auto weight = run.weight(i);
            const auto& recorded = curve->finalWeights[i];
            for (std::size_t k = 0; k < recorded.at.size(); ++k)
                QVERIFY(std::abs(weight[recorded.at[k]] - recorded.values[k]) < 1e-9 * std::max(1.0, std::abs(recorded.values[k])));
        }
        qInfo("worst relative loss difference %.2g", worst);
    }
};

LOCKSTEP_TEST(RefCurveTest)
#include "ref_curve_test.moc"
