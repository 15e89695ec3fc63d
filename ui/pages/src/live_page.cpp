#include <pages/live_page.h>
#include <pages/run_look.h>

#include "live_dock.h"
#include "live_grid.h"
#include "live_header.h"
#include "live_lanes.h"
#include "live_strip.h"
#include "run_words.h"
#include "titled_picture.h"

#include <models/event_words.h>
#include <text/format.h>

#include <QAction>
#include <QClipboard>
#include <QFileDialog>
#include <QGuiApplication>
#include <QMenu>
#include <QSaveFile>
#include <QStackedWidget>
#include <QTimer>
#include <QVBoxLayout>

namespace lockstep::pages {
namespace {

constexpr double kLanesShare = 0.3;  // of the height of the page

}  // namespace

struct LivePage::Parts {
    explicit Parts(const style::Theme& look) : theme(look) {}

    const style::Theme& theme;
    std::unique_ptr<bridge::RunFeed> feed;
    std::optional<RunId> run;
    std::vector<api::RunSummary> choices;
    LiveSeries series;
    std::vector<charts::ChartEvent> events;
    std::vector<api::RunEvent> states;  // what the states of the run come to
    bool resumeUnplaced = false;        // its first step has not come yet
    double newest = 0;
    bool changed = false;  // values have come since the last refresh
    charts::ChartGroup group;

    QStackedWidget* stack = nullptr;
    style::EmptyState* empty = nullptr;
    LiveHeader* header = nullptr;
    LiveStrip* strip = nullptr;
    LiveGrid* grid = nullptr;
    LiveLanes* lanes = nullptr;
    LiveDock* dock = nullptr;
    QAction* follow = nullptr;
    QTimer refresh;
};

LivePage::LivePage(const style::Theme& theme, QWidget* parent) : Page(parent), m_parts(std::make_unique<Parts>(theme)) {
    setObjectName("live");
    buildPage();
    wireControls();
}

LivePage::~LivePage() = default;

void LivePage::buildPage() {
    auto& p = *m_parts;
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    p.stack = new QStackedWidget(this);
    outer->addWidget(p.stack);
    p.empty = new style::EmptyState(p.theme, "live", tr("No run is shown."), tr("Start one with Run, or choose one on the Overview page."));
    p.stack->addWidget(p.empty);
    auto* content = new QWidget(p.stack);
    p.stack->addWidget(content);
    auto* rows = new QVBoxLayout(content);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(0);
    p.header = new LiveHeader(p.theme, content);
    p.strip = new LiveStrip(p.theme, p.group, content);
    p.grid = new LiveGrid(p.theme, p.group, content);
    p.lanes = new LiveLanes(p.theme, p.group, content);
    p.dock = new LiveDock(p.theme, p.group, this);  // the window takes it into its own dock
    p.dock->hide();
    rows->addWidget(p.header);
    rows->addWidget(new style::Divider(Qt::Horizontal, style::Divider::Weight::Edge, content));
    rows->addWidget(p.strip);
    auto* inset = new QVBoxLayout;
    inset->setContentsMargins(style::space::kPagePadding, 0, style::space::kPagePadding, style::space::kS);
    inset->addWidget(p.lanes);
    rows->addWidget(p.grid, 1);
    rows->addSpacing(style::space::kS);
    rows->addLayout(inset);
}

void LivePage::wireControls() {
    auto& p = *m_parts;
    p.follow = new QAction(tr("Follow the newest values"), this);
    p.follow->setShortcut(Qt::Key_End);
    p.follow->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    addAction(p.follow);
    connect(p.follow, &QAction::triggered, this, [&p] { p.group.setFollowing(true); });
    connect(p.strip, &LiveStrip::columnsChanged, p.grid, &LiveGrid::setColumns);
    connect(p.strip, &LiveStrip::logYChanged, p.grid, &LiveGrid::setLogY);
    connect(p.strip, &LiveStrip::workersChanged, this, [this] { refresh(); });
    connect(&p.group, &charts::ChartGroup::cursorsChanged, this, [&p] { p.dock->update(p.series); });
    connect(&p.group, &charts::ChartGroup::axisChanged, this, [&p] { p.dock->update(p.series); });
    connect(p.header, &LiveHeader::stopAsked, this, [this] { emit stopAsked(runText()); });
    connect(p.header, &LiveHeader::checkpointAsked, this, [this] { emit checkpointAsked(runText()); });
    connect(p.header, &LiveHeader::resumeAsked, this, [this] { emit resumeAsked(runText()); });
    connect(p.header, &LiveHeader::chooseRunAsked, this, &LivePage::offerRuns);
    connect(p.lanes, &LiveLanes::cellChosen, this, [this](int rank, double time) { emit logAsked(runText(), rank, time); });
    connect(p.dock, &LiveDock::eventChosen, this, [this](int rank, double time) { emit logAsked(runText(), rank, time); });
    for (auto* card : p.grid->cards())
        connect(card, &MetricCard::exportAsked, this, [this, card](const QString& kind) { exportChart(*card->chart(), kind); });
    p.group.setDriven(true);
    p.refresh.setInterval(charts::kRefreshMs);
    connect(&p.refresh, &QTimer::timeout, this, [this] {
        if (m_parts->changed) refresh();
    });
}

QString LivePage::runText() const { return m_parts->run ? QString::fromStdString(m_parts->run->value) : QString(); }

void LivePage::setRuns(api::Runs* runs) {
    auto& p = *m_parts;
    p.feed.reset();
    p.run.reset();
    p.choices.clear();
    forget();
    p.stack->setCurrentIndex(0);
    if (runs == nullptr) return;
    p.feed = std::make_unique<bridge::RunFeed>(*runs);
    wireFeed();
}

void LivePage::wireFeed() {
    auto& p = *m_parts;
    auto& feed = *p.feed;
    connect(&feed, &bridge::RunFeed::reset, this, &LivePage::forget);
    connect(&feed, &bridge::RunFeed::opened, this, [this](const api::RunDetail& detail) { takeDetail(detail); });
    connect(&feed, &bridge::RunFeed::summaryChanged, this, [this](const api::RunSummary&) {
        m_parts->header->showRun(m_parts->feed->detail().summary);
        m_parts->grid->setEmptyText(sentenceOf(m_parts->feed->detail().summary));
        m_parts->lanes->setEnded(api::isIdle(m_parts->feed->detail().summary.state));
        m_parts->changed = true;
    });
    connect(&feed, &bridge::RunFeed::ranksChanged, this, [this](const std::vector<api::RankStatus>& ranks) {
        m_parts->lanes->setRanks(ranks);
        m_parts->changed = true;
    });
    connect(&feed, &bridge::RunFeed::eventsAdded, this, &LivePage::takeEvents);
    connect(&feed, &bridge::RunFeed::valuesAdded, this, &LivePage::takeValues);
    connect(&feed, &bridge::RunFeed::loaded, this, [this] {
        placeEvents();
        refresh();
    });
    connect(&feed, &bridge::RunFeed::failed, this, [this](const Error& error) {
        showProblem();
        emit issueRaised(QString::fromStdString(error.code), QString::fromStdString(error.message), QString::fromStdString(error.next));
    });
    connect(&feed, &bridge::RunFeed::recovered, this, [this] { m_parts->stack->setCurrentIndex(1); });
}

void LivePage::forget() {
    auto& p = *m_parts;
    p.series.clear();
    p.events.clear();
    p.states.clear();
    p.resumeUnplaced = false;
    p.newest = 0;
    p.dock->clear();
    p.grid->setEvents({});
    p.lanes->setEvents({});
    p.group.setCursorA(std::nullopt);
    p.group.pinCursorB(std::nullopt);
    p.group.setFollowing(true);
    p.changed = true;
}

void LivePage::showProblem() {
    auto& p = *m_parts;
    const auto& problem = p.feed->problem();
    if (!problem) return;
    p.empty->setTexts(QString::fromStdString(problem->message),
                      QString::fromStdString(problem->next + " (" + problem->code + ")").toHtmlEscaped());
    p.dock->clear();
    p.stack->setCurrentIndex(0);
}

void LivePage::showRun(const RunId& run) {
    auto& p = *m_parts;
    if (!p.feed || p.run == run) return;
    p.run = run;
    p.stack->setCurrentIndex(1);
    p.feed->open(run);
    emit runShown(runText());
}

const std::optional<RunId>& LivePage::run() const { return m_parts->run; }

// A hidden page draws nothing: what came meanwhile is drawn when it is shown.
bool LivePage::isComplete() const {
    const auto& p = *m_parts;
    return p.feed && (p.feed->problem().has_value() || (p.feed->isLoaded() && !(p.changed && p.refresh.isActive())));
}

std::shared_ptr<const charts::SeriesData> LivePage::samples(const api::SeriesKey& key) const {
    return m_parts->series.find(key.name, key.rank);
}

void LivePage::setChoices(std::vector<api::RunSummary> runs) { m_parts->choices = std::move(runs); }

void LivePage::offerRuns() {
    QMenu menu(this);
    for (const auto& run : m_parts->choices) {
        const auto line = QStringLiteral("%1   %2   %3").arg(QString::fromStdString(run.name), shortId(run.run), statePill(run).word);
        auto* entry = menu.addAction(text::withoutMnemonic(line), this, [this, id = run.run] { showRun(id); });
        entry->setCheckable(true);
        entry->setChecked(m_parts->run == run.run);
    }
    menu.exec(m_parts->header->mapToGlobal(QPoint(style::space::kPagePadding, m_parts->header->height() / 2)));
}

void LivePage::takeDetail(const api::RunDetail& detail) {
    auto& p = *m_parts;
    p.group.setStartTime(detail.summary.started);
    p.header->showRun(detail.summary);
    p.grid->setEmptyText(sentenceOf(detail.summary));
    p.lanes->setRanks(detail.ranks);
    p.lanes->setEnded(api::isIdle(detail.summary.state));
    p.states = models::eventsOf(detail.states);
    std::erase_if(p.events, [](const auto& event) { return event.kind == charts::EventKind::Resume; });
    for (const auto& state : p.states)
        if (state.kind == "resume") p.events.push_back({charts::EventKind::Resume, 0, state.time, tr("resumed")});
    placeEvents();
    p.changed = true;
}

void LivePage::takeEvents(const std::vector<api::RunEvent>& events) {
    auto& p = *m_parts;
    p.dock->addEvents(events);
    for (const auto& event : events)
        if (const auto words = wordsOf(event)) p.events.push_back({words->kind, event.step, event.time, words->label, event.rank});
    placeEvents();
}

// A state is known by its time only: a resume stands at the first step that was measured after it, an end at the last one before it.
// Lines through all charts are drawn for resumes; the lane of events shows all.
void LivePage::placeEvents() {
    auto& p = *m_parts;
    std::ranges::stable_sort(p.events, {}, &charts::ChartEvent::time);
    std::vector<charts::ChartEvent> lines, marks;
    p.resumeUnplaced = false;
    for (auto& event : p.events) {
        if (event.kind != charts::EventKind::Resume) {
            marks.push_back(event);
            continue;
        }
        const auto step = p.series.firstStepAfter(event.time);
        p.resumeUnplaced = p.resumeUnplaced || !step;
        if (!step) continue;
        event.step = *step;
        event.label = tr("resumed at %1").arg(text::formatInteger(static_cast<std::int64_t>(event.step)));
        lines.push_back(event);
        marks.push_back(event);
    }
    for (auto& state : p.states) {
        if (state.kind == "started") continue;
        const auto step = state.kind == "resume" ? p.series.firstStepAfter(state.time) : p.series.lastStepBefore(state.time);
        state.step = step.value_or(0);
    }
    p.grid->setEvents(lines);
    p.lanes->setEvents(marks);
    p.dock->setStates(p.states);
}

void LivePage::takeValues(const std::vector<api::SeriesPoints>& values) {
    auto& p = *m_parts;
    p.series.add(values);
    for (const auto& entry : values)
        if (!entry.points.empty()) p.newest = std::max(p.newest, entry.points.back().time);
    if (p.resumeUnplaced) placeEvents();
    p.changed = true;
}

void LivePage::refresh() {
    auto& p = *m_parts;
    if (!p.feed || !p.feed->isOpen()) return;
    p.changed = false;
    p.header->showValues(p.feed->detail().summary, p.feed->detail().ranks, p.series);
    p.grid->update(p.series, p.strip->workers());
    p.lanes->update(p.series);
    p.dock->update(p.series);
    p.group.refreshNow();
    if (p.newest > 0) emit drawn(p.newest);
}

// "Loss, log scale – mnist (de0a)": a picture says what it is of, wherever it is put.
QString LivePage::exportTitle(const charts::ChartView& chart) const {
    const auto& summary = m_parts->feed->detail().summary;
    const auto name = QString::fromStdString(summary.name.empty() ? summary.run.value : summary.name);
    const auto what = chart.unit().isEmpty() ? chart.title() : chart.title() + QStringLiteral(", ") + chart.unit();
    return QStringLiteral("%1 – %2 (%3)").arg(what, name, shortId(summary.run));
}

void LivePage::exportChart(charts::ChartView& chart, const QString& kind) {
    constexpr double kScale = 2;
    const auto picture = [&] { return titledImage(m_parts->theme, chart.image(kScale), exportTitle(chart)); };
    if (kind == "copy") {
        QGuiApplication::clipboard()->setImage(picture());
        return;
    }
    const auto path = QFileDialog::getSaveFileName(this, tr("Save %1").arg(chart.title()), chart.title() + QLatin1Char('.') + kind);
    if (path.isEmpty()) return;
    QSaveFile file(path);
    bool good = file.open(QIODevice::WriteOnly);
    if (good && kind == "png")
        good = picture().save(&file, "PNG");
    else if (good)
        good = file.write(kind == "svg" ? titledSvg(m_parts->theme, chart.svg(), chart.size(), exportTitle(chart))
                                        : chart.csv().toUtf8()) >= 0;
    if (!good || !file.commit())
        emit issueRaised("F604", tr("%1 can't be written: %2.").arg(path, file.errorString()), tr("Choose another folder."));
}

QList<QAction*> LivePage::pageActions() const { return {m_parts->follow}; }
QWidget* LivePage::dock() const { return m_parts->dock; }

void LivePage::resizeEvent(QResizeEvent* event) {
    Page::resizeEvent(event);
    m_parts->lanes->setMostHeight(static_cast<int>(kLanesShare * height()));
}

void LivePage::activated() {
    m_parts->refresh.start();
    refresh();
}

void LivePage::deactivated() { m_parts->refresh.stop(); }

}  // namespace lockstep::pages
