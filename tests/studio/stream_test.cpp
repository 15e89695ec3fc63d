#include "home.h"
#include "live_cluster.h"

#include <support/test.h>

#include <base/paths.h>
#include <studio.h>
#include <workbench/workbench.h>

#include <QApplication>
#include <QTimer>

using namespace lockstep;

namespace {

constexpr const char* kRun = "20260101-000000-aaaa";
constexpr int kPatience = 30'000;

int seconds() { return qEnvironmentVariableIsSet("LOCKSTEP_SOAK") ? 60 : 4; }

}  // namespace

class StreamTest : public QObject {
    Q_OBJECT
private slots:
    // From a writer to the window: 16 ranks × 20 series, ten times a second. What was sent is in run.db to the last bit and in the window.
    void everyPointIsOnTheDiskAndInTheWindow() {
        test::Home home;
        VERIFY_OK(makeRuntimeFolder());
        const auto project = home.path() / "project";
        VERIFY_OK(workbench::createProject(project, "digits"));
        test::ClusterShape shape;
        shape.start = unixSeconds();
        const auto cluster = test::LiveCluster::begin(project, kRun, shape);
        QVERIFY(cluster != nullptr);
        auto tokens = style::embeddedTokens();
        QVERIFY(tokens.tokens.has_value());
        studio::Studio program(*qApp, std::move(*tokens.tokens));
        studio::Options options;
        options.project = QString::fromStdString(project.string());
        options.page = "live";
        QVERIFY(!program.begin(options));
        const auto& live = program.project().live();
        std::jthread writer([&](std::stop_token stop) {
            while (!stop.stop_requested() && cluster->steps() < static_cast<std::uint64_t>(seconds()) * 10) {
                while (cluster->steps() < cluster->due())
                    if (!cluster->add()) return;
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
            }
            (void)cluster->end();
        });
        QTRY_VERIFY_WITH_TIMEOUT(live.run() == RunId{kRun}, kPatience);
        const auto stateNow = [&] { return program.project().workbench().runs().summary(RunId{kRun}); };
        QTRY_VERIFY_WITH_TIMEOUT(stateNow().ok() && stateNow()->state == api::RunState::Completed, kPatience + seconds() * 1000);
        writer.join();
        const auto steps = cluster->steps();
        QVERIFY(steps >= static_cast<std::uint64_t>(seconds()) * 10);
        const auto stored = test::compareStored(project / "runs" / kRun / "run.db", shape, steps);
        VERIFY_OK(stored);
        QCOMPARE(stored->found, stored->wanted);
        QCOMPARE(stored->wrong, std::uint64_t{0});
        const auto loss = [&] { return live.samples({"loss", api::kWholeRun}); };
        QTRY_VERIFY_WITH_TIMEOUT(loss() && loss()->size() == steps && live.isComplete(), kPatience);
        for (const auto& key : test::keysOf(shape)) {
            const auto samples = live.samples({key.name, key.rank});
            QVERIFY2(samples != nullptr, key.name.c_str());
            QCOMPARE(samples->size(), static_cast<std::size_t>(steps));
            for (std::uint64_t step = 1; step <= steps; ++step) {
                const auto wanted = test::pointOf(shape, key, step);
                const charts::Sample sample = samples->at(step - 1);
                QVERIFY(sample.step == step && sample.time == wanted.time && sample.value == wanted.value);
            }
        }
    }
};

LOCKSTEP_TEST(StreamTest)
#include "stream_test.moc"
