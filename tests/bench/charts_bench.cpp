// What drawing costs, on Qt's offscreen platform unless another is asked for: a series of a million points, zooming in it, the page of a
// run with 16 ranks of 20 series at 10 Hz. First paints are medians of five by the clock; frames, zooms and moves are in processor time.
#include <charts/lane_view.h>
#include <charts/line_chart.h>

#include <fmt/core.h>

#include <time.h>

#include <QApplication>
#include <QElapsedTimer>
#include <QGridLayout>
#include <QTimer>
#include <QWheelEvent>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

using namespace lockstep::charts;

namespace {

double milliseconds(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// A machine that others use too slows the clock but not the count of the processor's own time.
double processorMilliseconds(const std::function<void()>& work) {
    const auto now = [] {
        timespec time{};
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
        return 1e3 * double(time.tv_sec) + 1e-6 * double(time.tv_nsec);
    };
    const double start = now();
    work();
    return now() - start;
}

double percentile(std::vector<double> values, double part) {
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(std::lround(part * double(values.size() - 1)))];
}

class Noise {
public:
    double operator()() {
        m_state = m_state * 6364136223846793005ULL + 1442695040888963407ULL;
        return double(m_state >> 11) / 9007199254740992.0 - 0.5;
    }

private:
    std::uint64_t m_state = 1;
};

Noise noise;

double loss(std::uint64_t step, double of) { return 0.25 + 2 * std::exp(-double(step) * 6 / of) + 0.2 * noise(); }

ChartColors someColors() {
    ChartColors colors;
    for (int i = 0; i < kSeriesColors; ++i) {
        const QColor line = QColor::fromHsv(i * 45, 220, 160);
        colors.series[i] = {line, line.lighter(170), line.lighter(200), line.lighter(140), Marker::Disc};
    }
    for (int i = 0; i < kHeatStops; ++i) colors.load[i] = colors.late[i] = QColor::fromHsv(30, i * 50, 240);
    return colors;
}

// Everything that is due: refresh, paint events.
void settle(ChartGroup& group) {
    group.refreshNow();
    QCoreApplication::processEvents();
}

void millionPoints(double smoothing) {
    constexpr std::uint64_t kPoints = 1000000;
    std::vector<Sample> samples;
    for (std::uint64_t step = 1; step <= kPoints; ++step) samples.push_back({step, 1.7e9 + 0.01 * double(step), loss(step, kPoints)});
    std::vector<double> first;
    std::vector<double> zooms;
    for (int round = 0; round < 5; ++round) {
        ChartGroup group;
        LineChart chart(&group);
        chart.setColors(someColors());
        chart.resize(900, 300);
        chart.show();
        QCoreApplication::processEvents();
        group.setSmoothing(smoothing);
        first.push_back(milliseconds([&] {
            auto data = std::make_shared<SeriesData>();
            data->append(samples);
            chart.setSeries({{"train", data, 0, LinePen::Series, LineRole::Main, {data}}});
            settle(group);
        }));
        for (int notch = 0; notch < 60; ++notch) {
            const QPointF at(100.0 + 11 * notch, 100);
            QWheelEvent event(at, at, {}, {0, notch % 20 < 14 ? 120 : -240}, Qt::NoButton, Qt::ControlModifier, Qt::NoScrollPhase, false);
            zooms.push_back(processorMilliseconds([&] {
                QCoreApplication::sendEvent(&chart, &event);
                settle(group);
            }));
        }
    }
    fmt::print("1 M points, smoothing {:4.2f}: first paint {:6.1f} ms, zoom p50 {:5.2f} p95 {:5.2f} ms\n", smoothing,
               percentile(first, 0.5), percentile(zooms, 0.5), percentile(zooms, 0.95));
}

// 20 charts of 16 lines and the lanes; each frame appends one sample to each of the 320 series. `before` samples are there already.
void page(std::uint64_t before, const char* name, QSize size) {
    ChartGroup group;
    group.setSmoothing(0.9);
    QWidget window;
    QGridLayout grid(&window);
    std::vector<std::vector<std::shared_ptr<SeriesData>>> data(20);
    for (int card = 0; card < 20; ++card) {
        auto* chart = new LineChart(&group, &window);
        chart->setColors(someColors());
        std::vector<LineSeries> lines;
        for (int rank = 0; rank < 16; ++rank) {
            data[card].push_back(std::make_shared<SeriesData>());
            for (std::uint64_t step = 1; step <= before; ++step)
                data[card].back()->append({step, double(step), loss(step, double(before))});
            lines.push_back({QString("w%1").arg(rank), data[card].back(), rank, rank == 3 ? LinePen::Warning : LinePen::Context});
        }
        chart->setSeries(lines);
        grid.addWidget(chart, card / 4, card % 4);
    }
    auto* lanes = new LaneView(&group, &window);
    lanes->setColors(someColors());
    std::vector<Lane> workers;
    for (int rank = 0; rank < 16; ++rank) workers.push_back({rank, rank < 8 ? "a" : "b", QString("w%1").arg(rank), ":0", data[0][rank]});
    lanes->setLanes(workers);
    grid.addWidget(lanes, 5, 0, 1, 4);
    window.resize(size);
    window.show();
    settle(group);
    std::uint64_t step = before;
    const auto append = [&] {
        ++step;
        for (auto& card : data)
            for (auto& series : card) series->append({step, double(step), loss(step, double(before))});
    };
    std::vector<double> frames;
    for (int i = 0; i < 100; ++i)
        frames.push_back(processorMilliseconds([&] {
            append();
            settle(group);
        }));
    fmt::print("16 ranks x 20 series, {:>6} points each, {}: frame p50 {:5.1f} p95 {:5.1f} ms", before, name, percentile(frames, 0.5),
               percentile(frames, 0.95));
    // As it runs: data ten times a second, drawn by the group's own timer.
    QTimer feed;
    QObject::connect(&feed, &QTimer::timeout, append);
    feed.start(100);
    std::vector<double> passes;
    double busy = 0;
    const double seconds =
        milliseconds([&] {
            QElapsedTimer clock;
            clock.start();
            while (clock.elapsed() < 3000) {
                passes.push_back(processorMilliseconds([] { QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents); }));
                busy += passes.back();
            }
        }) /
        1000;
    fmt::print("; live: longest pass {:4.1f} ms, {:4.1f} % of a core\n", *std::max_element(passes.begin(), passes.end()),
               busy / seconds / 10);
}

void cursor() {
    ChartGroup group;
    QWidget window;
    QGridLayout grid(&window);
    std::vector<LineChart*> charts;
    for (int i = 0; i < 12; ++i) {
        charts.push_back(new LineChart(&group, &window));
        charts.back()->setColors(someColors());
        std::vector<LineSeries> lines;
        for (int line = 0; line < 8; ++line) {
            auto data = std::make_shared<SeriesData>();
            for (std::uint64_t step = 1; step <= 10000; ++step) data->append({step, double(step), loss(step, 1e4)});
            lines.push_back({QString::number(line), data, line});
        }
        charts.back()->setSeries(lines);
        grid.addWidget(charts.back(), i / 3, i % 3);
    }
    window.resize(1200, 800);
    window.show();
    settle(group);
    std::vector<double> moves;
    for (int i = 0; i < 200; ++i)
        moves.push_back(processorMilliseconds([&] {
            group.setCursorB(20.0 + 40 * i);
            QCoreApplication::processEvents();
        }));
    std::vector<double> redraws;
    for (int i = 0; i < 5; ++i)
        redraws.push_back(processorMilliseconds([&] {
            for (LineChart* chart : charts) chart->markDirty();
            settle(group);
        }));
    fmt::print("12 charts x 8 series x 10 k points: cursor p95 {:5.2f} ms, redraw of all {:5.1f} ms\n", percentile(moves, 0.95),
               percentile(redraws, 0.5));
}

}  // namespace

int main(int argc, char** argv) {
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    millionPoints(0);
    millionPoints(0.94);
    page(100, "1440x900 ", {1100, 850});
    page(600, "1440x900 ", {1100, 850});
    page(600, "2560x1440", {2200, 1400});
    page(6000, "1440x900 ", {1100, 850});
    cursor();
    return 0;
}
