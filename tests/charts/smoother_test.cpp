// The moving average against the plain formula, streamed in parts.
#include <charts/smoother.h>
#include <support/test.h>

#include "look.h"

#include <cmath>
#include <limits>

using namespace lockstep::charts;

namespace {

// Sum over all values so far of (1 − w)·w^(n−i)·x_i, divided by 1 − wⁿ: no recursion, so it shares nothing with the code under test.
double plain(const std::vector<double>& values, double weight) {
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) sum += (1 - weight) * std::pow(weight, double(values.size() - 1 - i)) * values[i];
    return sum / (1 - std::pow(weight, double(values.size())));
}

}  // namespace

class SmootherTest : public QObject {
    Q_OBJECT
private slots:
    void equalsTheFormulaWhileStreaming() {
        for (const double weight : {0.0, 0.3, 0.94, 0.999}) {
            auto raw = std::make_shared<SeriesData>();
            Smoother smoother(raw, weight);
            lockstep::charts::test::Noise noise(9);
            std::vector<double> values;
            for (std::uint64_t step = 1; step <= 600; ++step) {
                values.push_back(noise.normal() + 3);
                raw->append({step, double(step), values.back()});
                if (step % 37 != 0 && step != 1) continue;
                const SeriesData& smooth = smoother.update();
                QCOMPARE(smooth.size(), raw->size());
                QVERIFY(std::abs(smooth.last().value - plain(values, weight)) < 1e-9);
            }
        }
    }

    void aConstantStaysConstantFromTheFirstPoint() {
        auto raw = std::make_shared<SeriesData>();
        for (std::uint64_t step = 1; step <= 50; ++step) raw->append({step, 0, 7});
        Smoother smoother(raw, 0.999);
        const SeriesData& smooth = smoother.update();
        for (std::size_t i = 0; i < smooth.size(); ++i) QVERIFY(std::abs(smooth.at(i).value - 7) < 1e-9);
    }

    void gapsDontCountAndStay() {
        auto raw = std::make_shared<SeriesData>();
        const double nan = std::numeric_limits<double>::quiet_NaN();
        for (const double value : {1.0, nan, 3.0}) raw->append({raw->size() + 1, 0, value});
        Smoother smoother(raw, 0.5);
        const SeriesData& smooth = smoother.update();
        QVERIFY(std::isnan(smooth.at(1).value));
        QVERIFY(std::abs(smooth.at(2).value - plain({1, 3}, 0.5)) < 1e-12);
    }

    void everyPieceBeginsAnew() {
        auto raw = std::make_shared<SeriesData>();
        for (std::uint64_t step = 1; step <= 20; ++step) raw->append({step, 0, 10});
        for (std::uint64_t step = 11; step <= 30; ++step) raw->append({step, 0, 2});
        Smoother smoother(raw, 0.9);
        const SeriesData& smooth = smoother.update();
        QCOMPARE(smooth.pieces().size(), std::size_t(2));
        QVERIFY(std::abs(smooth.at(20).value - 2) < 1e-12);
    }

    void changeOfWeightAndClear() {
        const auto raw = lockstep::charts::test::lossCurve(1000, 1);
        Smoother smoother(raw, 0.5);
        smoother.update();
        smoother.setWeight(0);
        QCOMPARE(smoother.update().last().value, raw->last().value);
        smoother.setWeight(2);
        QCOMPARE(smoother.weight(), kMostSmoothing);
        raw->clear();
        raw->append({1, 0, 4});
        QCOMPARE(smoother.update().size(), std::size_t(1));
        QVERIFY(std::abs(smoother.update().last().value - 4) < 1e-9);
    }
};

LOCKSTEP_TEST(SmootherTest)
#include "smoother_test.moc"
