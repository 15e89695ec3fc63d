#include <support/scratch.h>
#include <support/test.h>

#include <base/file.h>
#include <nn/schedule.h>

#include <nlohmann/json.hpp>

#include <cmath>

using namespace lockstep;
using namespace lockstep::nn;

namespace {

ScheduleOptions optionsOf(const nlohmann::json& recorded) {
    const auto& a = recorded.at("arguments");
    ScheduleOptions o;
    o.name = recorded.at("name");
    o.initialLearningRate = a.value("initial_learning_rate", o.initialLearningRate);
    o.decaySteps = a.value("decay_steps", a.value("first_decay_steps", 0.0));
    o.decayRate = a.value("decay_rate", o.decayRate);
    o.staircase = a.value("staircase", false);
    o.endLearningRate = a.value("end_learning_rate", o.endLearningRate);
    o.power = a.value("power", o.power);
    o.cycle = a.value("cycle", false);
    o.alpha = a.value("alpha", o.alpha);
    if (a.contains("warmup_target")) o.warmupTarget = a.at("warmup_target").get<double>();
    o.warmupSteps = a.value("warmup_steps", 0.0);
    o.tMul = a.value("t_mul", o.tMul);
    o.mMul = a.value("m_mul", o.mMul);
    o.boundaries = a.value("boundaries", std::vector<double>{});
    o.values = a.value("values", std::vector<double>{});
    return o;
}

ScheduleOptions named(const char* name, double decaySteps = 10) {
    ScheduleOptions options;
    options.name = name;
    options.decaySteps = decaySteps;
    return options;
}

}  // namespace

class ScheduleTest : public QObject {
    Q_OBJECT
private slots:
    // Keras computes rates in float32, so they agree to its precision.
    void ratesAreKeras() {
        const auto file = readFile(test::sourceDir() / "tests/fixtures/keras_layers/schedules.json");
        VERIFY_OK(file);
        const auto recorded = nlohmann::json::parse(*file).at("schedules");
        QCOMPARE(recorded.size(), std::size_t{12});
        for (const auto& one : recorded) {
            const ScheduleOptions options = optionsOf(one);
            VERIFY_OK(checkSchedule(options));
            for (std::size_t i = 0; i < one.at("steps").size(); ++i) {
                const double expected = one.at("rates")[i], rate = learningRateAt(options, one.at("steps")[i]);
                const double tolerance = 2e-6 * expected + 1e-8;
                if (std::abs(rate - expected) > tolerance) QFAIL(qPrintable(QString::fromStdString(one.dump())));
            }
        }
    }
    void constantIsConstant() {
        ScheduleOptions options;
        options.initialLearningRate = 0.25;
        VERIFY_OK(checkSchedule(options));
        QCOMPARE(learningRateAt(options, 0), 0.25);
        QCOMPARE(learningRateAt(options, 1'000'000'000'000), 0.25);
    }
    void refusals() {
        const auto says = [](const ScheduleOptions& options, const char* word) {
            const auto checked = checkSchedule(options);
            return !checked.ok() && checked.error().code == "S417" && checked.error().message.find(word) != std::string::npos;
        };
        QVERIFY(says(named("linear"), "\"linear\" is no schedule; there are constant, cosine_decay"));
        QVERIFY(says(named("cosine_decay", 0), "decay_steps"));
        QVERIFY(says(named("cosine_decay_restarts", -1), "first_decay_steps"));
        ScheduleOptions options = named("polynomial_decay");
        options.power = std::nan("");
        QVERIFY(says(options, "power"));
        options = named("piecewise_constant_decay");
        QVERIFY(says(options, "values"));
        options.values = {1, 2, 3};
        options.boundaries = {5, 5};
        QVERIFY(says(options, "rising order"));
        options = named("cosine_decay");
        options.warmupTarget = -1;
        QVERIFY(says(options, "warmup_target"));
    }
};

LOCKSTEP_TEST(ScheduleTest)
#include "schedule_test.moc"
