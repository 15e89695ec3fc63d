// The window on a real run of this computer: how long from a value's time stamp in a rank until it is drawn, how much of a core the
// window takes while the run goes on and when it has ended.
//
//   studio_bench [SECONDS]     default 20 of each; limits (issue of the window): 500 ms p95, 15 % live, 1 % idle
#include <studio.h>

#include <base/paths.h>
#include <workbench/workbench.h>

#include <QApplication>
#include <QElapsedTimer>
#include <QTemporaryDir>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <vector>

namespace {

using namespace lockstep;

double processSeconds() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double wallSeconds() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

struct Phase {
    double share = 0;         // of one core
    double longestStall = 0;  // s, one pass of the event loop
};

Phase pass(double seconds, const std::function<bool()>& until) {
    Phase phase;
    const double cpu = processSeconds();
    QElapsedTimer clock;
    clock.start();
    while (static_cast<double>(clock.elapsed()) < seconds * 1e3 && !until()) {
        const double before = processSeconds();
        QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents);
        phase.longestStall = std::max(phase.longestStall, processSeconds() - before);
    }
    phase.share = (processSeconds() - cpu) / (static_cast<double>(clock.elapsed()) * 1e-3);
    return phase;
}

double quantile(std::vector<double> values, double part) {
    if (values.empty()) return 0;
    std::ranges::sort(values);
    return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
}

}  // namespace

int main(int argc, char** argv) {
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    QTemporaryDir home;
    for (const char* name : {"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"}) qputenv(name, home.path().toUtf8());
    QApplication application(argc, argv);
    const double seconds = argc > 1 ? std::atof(argv[1]) : 20;
    auto tokens = style::embeddedTokens();
    if (!tokens.tokens) return 1;
    const auto project = std::filesystem::path(home.path().toStdString()) / "project";
    if (!workbench::createProject(project, "bench").ok()) return 1;
    studio::Studio program(application, std::move(*tokens.tokens));
    studio::Options options;
    options.project = QString::fromStdString(project.string());
    options.page = "live";
    program.begin(options);
    auto& live = program.project().live();
    program.project().start(
        {resourcesFolder() / "presets" / "mnist-mirrored.yaml", {}, {"cluster.oversubscribe=true", "training.epochs=1000"}});
    std::vector<double> delays;
    QObject::connect(&live, &pages::LivePage::drawn, [&](double newest) { delays.push_back(wallSeconds() - newest); });
    pass(60, [&] { return !delays.empty(); });
    delays.clear();
    const auto busy = pass(seconds, [] { return false; });
    const auto collected = delays;
    const auto run = *live.run();
    if (!program.project().workbench().commands().stop(run, api::StopMode::Ask, "bench").ok()) return 1;
    pass(60, [&] {
        const auto summary = program.project().workbench().runs().summary(run);
        return summary.ok() && api::isIdle(summary->state);
    });
    pass(3, [] { return false; });
    const auto idle = pass(seconds, [] { return false; });
    std::printf("newest value → drawn    p50 %.0f ms  p95 %.0f ms  (%zu frames)\n", quantile(collected, 0.5) * 1e3,
                quantile(collected, 0.95) * 1e3, collected.size());
    std::printf("live                    %.1f %% of a core, longest pass of the event loop %.1f ms of processor time\n", busy.share * 100,
                busy.longestStall * 1e3);
    std::printf("idle                    %.2f %% of a core\n", idle.share * 100);
    return 0;
}
