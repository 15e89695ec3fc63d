// The real window in front of a run: what it costs and how smooth it is.
//
//   studio_bench [run] [SECONDS]     A run of this computer: how long from a value's time stamp in a rank until it is drawn, how much of
//                                    a core the window takes while the run goes on and when it has ended. Default 20 s of each; limits:
//                                    500 ms p95, 15 % live, 1 % idle.
//   studio_bench cluster [SECONDS [RANKS [SERIES]]]
//                                    16 ranks × 20 series × 10 Hz, written into run.db by another process as a controller does it: frames
//                                    and stalls of the window, then every point in run.db and in the window. Default 60 s; limits: frame
//                                    p95 33 ms, stall 50 ms (both of processor time: other programs of the machine are not the window),
//                                    no point missing; one that is broken makes it exit with 1. tests/studio/stream_test is the short
//                                    version.
//   studio_bench memory [STEPS]      What the window holds of a run of 2 ranks with that many steps. Default 258,000.
#include "live_cluster.h"

#include <studio.h>

#include <base/paths.h>
#include <workbench/workbench.h>

#include <QApplication>
#include <QElapsedTimer>
#include <QProcess>
#include <QTemporaryDir>
#include <QThread>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <thread>
#include <vector>

namespace {

using namespace lockstep;

constexpr const char* kRun = "20260101-000000-aaaa";
constexpr std::uint64_t kMostAtOnce = 400;            // steps in one commit
constexpr double kFrameLimit = 33, kStallLimit = 50;  // ms

double secondsOf(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}
double processSeconds() { return secondsOf(CLOCK_PROCESS_CPUTIME_ID); }
double threadSeconds() { return secondsOf(CLOCK_THREAD_CPUTIME_ID); }

double wallSeconds() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

double quantile(std::vector<double> values, double part) {
    if (values.empty()) return 0;
    std::ranges::sort(values);
    return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
}

struct Span {
    double clock = 0;      // s: what a person feels, other programs of the machine included
    double processor = 0;  // s of the GUI thread alone
};

// Counts what the event loop does: `passes` are single events from the loop to whoever handles them (nothing else of the window can happen
// meanwhile), `frames` are the events in which new values were prepared, with the painting that follows.
class Application : public QApplication {
public:
    using QApplication::QApplication;

    bool notify(QObject* receiver, QEvent* event) override {
        if (m_inside) return QApplication::notify(receiver, event);
        const bool paints = event->type() == QEvent::UpdateRequest;
        m_inside = true;
        m_draws = false;
        const Span begin{secondsOf(CLOCK_MONOTONIC), threadSeconds()};
        const bool handled = QApplication::notify(receiver, event);
        const Span span{secondsOf(CLOCK_MONOTONIC) - begin.clock, threadSeconds() - begin.processor};
        m_inside = false;
        passes.push_back(span);
        if (m_draws) frames.push_back(span);
        if (!m_draws && paints && !frames.empty()) {
            frames.back().clock += span.clock;
            frames.back().processor += span.processor;
        }
        return handled;
    }
    void markFrame() { m_draws = true; }
    void clear() { passes.clear(), frames.clear(); }
    std::vector<Span> passes;
    std::vector<Span> frames;

private:
    bool m_inside = false;
    bool m_draws = false;
};

// How long a thing that is due in the event loop has to wait there: another thread asks every 5 ms.
class Waiting {
public:
    explicit Waiting(QObject& inside) : m_inside(inside) {}
    std::vector<double> waits;  // s

private:
    void ask() {
        const double asked = secondsOf(CLOCK_MONOTONIC);
        QMetaObject::invokeMethod(
            &m_inside, [this, asked] { waits.push_back(secondsOf(CLOCK_MONOTONIC) - asked); }, Qt::QueuedConnection);
    }
    QObject& m_inside;
    std::jthread m_thread{[this](std::stop_token stop) {
        for (; !stop.stop_requested(); QThread::msleep(5)) ask();
    }};
};

std::vector<double> values(const std::vector<Span>& spans, double Span::*what) {
    std::vector<double> result;
    for (const auto& span : spans) result.push_back(span.*what * 1e3);
    return result;
}

// Share of a core, all threads of the window.
double pass(double seconds, const std::function<bool()>& until) {
    const double cpu = processSeconds();
    QElapsedTimer clock;
    clock.start();
    while (static_cast<double>(clock.elapsed()) < seconds * 1e3 && !until())
        QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents);
    return (processSeconds() - cpu) / (static_cast<double>(clock.elapsed()) * 1e-3);
}
bool never() { return false; }

struct Bench {
    Application& application;
    std::filesystem::path project;
    studio::Studio program;

    Bench(Application& app, const std::filesystem::path& home, style::Tokens tokens)
        : application(app), project(home / "project"), program(app, std::move(tokens)) {}
    bool open() {
        studio::Options options;
        options.project = QString::fromStdString(project.string());
        options.page = "live";
        return !program.begin(options);
    }
    pages::LivePage& live() { return program.project().live(); }
};

int runOfThisComputer(Bench& bench, double seconds) {
    if (!workbench::createProject(bench.project, "bench").ok() || !bench.open()) return 1;
    auto& project = bench.program.project();
    auto& live = bench.live();
    project.start({resourcesFolder() / "presets" / "mnist-mirrored.yaml", {}, {"cluster.oversubscribe=true", "training.epochs=1000"}});
    std::vector<double> delays;
    QObject::connect(&live, &pages::LivePage::drawn, [&](double newest) { delays.push_back(wallSeconds() - newest); });
    pass(60, [&] { return !delays.empty(); });
    delays.clear();
    bench.application.clear();
    const double busy = pass(seconds, never);
    const auto collected = delays;
    const auto longest = quantile(values(bench.application.passes, &Span::processor), 1);
    const auto run = *live.run();
    if (!project.workbench().commands().stop(run, api::StopMode::Ask, "bench").ok()) return 1;
    pass(60, [&] {
        const auto summary = project.workbench().runs().summary(run);
        return summary.ok() && api::isIdle(summary->state);
    });
    pass(3, never);
    const double idle = pass(seconds, never);
    std::printf("newest value → drawn    p50 %.0f ms  p95 %.0f ms  (%zu frames)\n", quantile(collected, 0.5) * 1e3,
                quantile(collected, 0.95) * 1e3, collected.size());
    std::printf("live                    %.1f %% of a core, longest pass of the event loop %.1f ms of processor time\n", busy * 100,
                longest);
    std::printf("idle                    %.2f %% of a core\n", idle * 100);
    return 0;
}

// The other process: keeps pace with the clock (a start in the past is caught up with), prints how many steps it wrote.
int writeCluster(const std::filesystem::path& project, test::ClusterShape shape, double seconds) {
    const auto cluster = test::LiveCluster::begin(project, kRun, shape);
    if (!cluster) return 1;
    const auto steps = static_cast<std::uint64_t>(seconds / shape.every);
    while (cluster->steps() < steps) {
        const auto due = std::min(cluster->due(), steps);
        if (due > cluster->steps() && !cluster->add(std::min<std::uint64_t>(due - cluster->steps(), kMostAtOnce))) return 1;
        if (cluster->steps() == cluster->due()) QThread::msleep(5);
    }
    if (!cluster->end()) return 1;
    std::printf("%llu\n", static_cast<unsigned long long>(steps));
    return 0;
}

void printSpans(const char* name, const std::vector<Span>& spans) {
    const auto clock = values(spans, &Span::clock), own = values(spans, &Span::processor);
    std::printf("%-24s%zu; by the clock p50 %.1f p95 %.1f longest %.1f ms; processor time p50 %.1f p95 %.1f longest %.1f ms\n", name,
                spans.size(), quantile(clock, 0.5), quantile(clock, 0.95), quantile(clock, 1), quantile(own, 0.5), quantile(own, 0.95),
                quantile(own, 1));
}

int clusterFromWriterToPixels(Bench& bench, double seconds, test::ClusterShape shape) {
    if (!workbench::createProject(bench.project, "bench").ok()) return 1;
    shape.start = std::floor(wallSeconds()) + 2;  // a whole number: both processes must mean the same
    QProcess writer;
    writer.start(QString::fromStdString(programFile().string()),
                 {"--write", QString::fromStdString(bench.project.string()), QString::number(shape.start, 'f', 6), QString::number(seconds),
                  QString::number(shape.ranks), QString::number(shape.seriesOfRank)});
    if (!writer.waitForStarted() || !bench.open()) return 1;
    std::vector<double> delays;
    std::size_t drawn = 0;
    QObject::connect(&bench.live(), &pages::LivePage::drawn, [&](double newest) {
        bench.application.markFrame();
        ++drawn;
        delays.push_back(wallSeconds() - newest);
    });
    pass(60, [&] { return drawn > 5; });
    QObject inside;
    Waiting waiting(inside);
    bench.application.clear();
    delays.clear();
    const double busy = pass(seconds + 60, [&] { return writer.state() == QProcess::NotRunning; });
    const auto frames = bench.application.frames, passes = bench.application.passes;
    const auto waits = waiting.waits;
    const auto collected = delays;
    const auto steps = QString(writer.readAllStandardOutput()).trimmed().toULongLong();
    if (writer.exitCode() != 0 || steps == 0) return 1;
    const auto keys = test::keysOf(shape);
    std::uint64_t inWindow = 0;
    const auto held = [&] {
        inWindow = 0;
        for (const auto& key : keys)
            if (const auto samples = bench.live().samples({key.name, key.rank})) inWindow += samples->size();
        return inWindow == keys.size() * steps;
    };
    pass(10, held);
    const auto stored = test::compareStored(bench.project / "runs" / kRun / "run.db", shape, steps);
    if (!stored.ok()) return 1;
    printSpans("frames", frames);
    printSpans("events", passes);
    std::printf("wait in the event loop  p50 %.1f  p95 %.1f  longest %.1f ms by the clock\n", quantile(waits, 0.5) * 1e3,
                quantile(waits, 0.95) * 1e3, quantile(waits, 1) * 1e3);
    std::printf("newest value → drawn    p50 %.0f ms  p95 %.0f ms\n", quantile(collected, 0.5) * 1e3, quantile(collected, 0.95) * 1e3);
    std::printf("window                  %.1f %% of a core\n", busy * 100);
    std::printf("points                  %llu sent, %llu in run.db of which %llu differ, %llu in the window\n",
                static_cast<unsigned long long>(stored->wanted), static_cast<unsigned long long>(stored->found),
                static_cast<unsigned long long>(stored->wrong), static_cast<unsigned long long>(inWindow));
    const double frame = quantile(values(frames, &Span::processor), 0.95), stall = quantile(values(passes, &Span::processor), 1);
    const bool whole = stored->found == stored->wanted && stored->wrong == 0 && inWindow == stored->wanted;
    std::printf("limits                  frame p95 %.1f of 33 ms, stall %.1f of 50 ms, points %s\n", frame, stall,
                whole ? "all" : "missing");
    return whole && frame < kFrameLimit && stall < kStallLimit ? 0 : 1;
}

double residentMebi() {
    std::ifstream file("/proc/self/statm");
    double total = 0, resident = 0;
    file >> total >> resident;
    return resident * 4096 / (1 << 20);
}

int memoryOfALongRun(Bench& bench, std::uint64_t steps) {
    test::ClusterShape shape{.ranks = 2, .seriesOfRank = 8, .start = wallSeconds() - 70, .every = 70.0 / static_cast<double>(steps)};
    if (!workbench::createProject(bench.project, "bench").ok()) return 1;
    const auto cluster = test::LiveCluster::begin(bench.project, kRun, shape);
    if (!cluster || !bench.open()) return 1;
    std::size_t drawn = 0;
    QObject::connect(&bench.live(), &pages::LivePage::drawn, [&](double) { ++drawn; });
    if (!cluster->add(100)) return 1;
    pass(20, [&] { return drawn > 3; });
    const double before = residentMebi();
    while (cluster->steps() < steps) {
        if (!cluster->add(std::min(steps - cluster->steps(), kMostAtOnce))) return 1;
        pass(0.01, never);
    }
    if (!cluster->end()) return 1;
    pass(60, [&] {
        const auto samples = bench.live().samples({"loss", api::kWholeRun});
        return samples && samples->size() >= steps && bench.live().isComplete();
    });
    pass(2, never);
    const double after = residentMebi();
    const auto points = static_cast<double>(test::keysOf(shape).size() * steps);
    std::printf("%llu steps, %.1f M points: resident %.0f MiB with 100 steps, %.0f MiB with all: %.1f bytes a point\n",
                static_cast<unsigned long long>(steps), points * 1e-6, before, after, (after - before) * (1 << 20) / points);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc >= 5 && std::string_view(argv[1]) == "--write") {
        test::ClusterShape shape;
        shape.start = std::atof(argv[3]);
        if (argc > 6) shape.ranks = std::atoi(argv[5]), shape.seriesOfRank = std::atoi(argv[6]);
        return writeCluster(argv[2], shape, std::atof(argv[4]));
    }
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    QTemporaryDir home;
    for (const char* name : {"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"}) qputenv(name, home.path().toUtf8());
    if (!makeRuntimeFolder().ok()) return 1;
    Application application(argc, argv);
    auto tokens = style::embeddedTokens();
    if (!tokens.tokens) return 1;
    Bench bench(application, home.path().toStdString(), std::move(*tokens.tokens));
    const bool named = argc > 1 && std::isalpha(static_cast<unsigned char>(argv[1][0]));
    const std::string_view mode = named ? argv[1] : "run";
    const char* number = argc > (named ? 2 : 1) ? argv[named ? 2 : 1] : nullptr;
    if (mode == "run") return runOfThisComputer(bench, number ? std::atof(number) : 20);
    if (mode == "cluster") {
        test::ClusterShape shape;
        if (argc > 3) shape.ranks = std::atoi(argv[3]);
        if (argc > 4) shape.seriesOfRank = std::atoi(argv[4]);
        return clusterFromWriterToPixels(bench, number ? std::atof(number) : 60, shape);
    }
    if (mode == "memory") return memoryOfALongRun(bench, number ? std::strtoull(number, nullptr, 10) : 258'000);
    std::fprintf(stderr, "studio_bench [run] [SECONDS] | cluster [SECONDS [RANKS [SERIES]]] | memory [STEPS]\n");
    return 2;
}
