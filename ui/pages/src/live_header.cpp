#include "live_header.h"

#include "figure_row.h"
#include "run_words.h"

#include <pages/run_look.h>

#include <text/format.h>

#include <QDateTime>
#include <QHBoxLayout>
#include <QVBoxLayout>

namespace lockstep::pages {
namespace {

constexpr int kLeastName = 80;
constexpr std::uint64_t kStepsForEta = 20;  // the first steps say little: buffers are made, files are read
constexpr int kNameRest = 100;              // edges and chevron of the name, gaps, a glimpse of the description

}  // namespace

LiveHeader::LiveHeader(const style::Theme& theme, QWidget* parent) : QFrame(parent), m_theme(theme) {
    setObjectName("live.header");
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    auto* rows = new QVBoxLayout(this);
    rows->setContentsMargins(style::space::kPagePadding, 10, style::space::kPagePadding, 8);
    rows->setSpacing(style::space::kS);
    rows->addWidget(makeNameRow());
    rows->addWidget(makeFigureRow());
    connect(&theme, &style::Theme::changed, this, &LiveHeader::fitName);
}

QWidget* LiveHeader::makeNameRow() {
    auto* row = new QWidget(this);
    auto* line = new QHBoxLayout(row);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(style::space::kS);
    m_pill = new style::StatePill(m_theme, {}, row);
    m_run = new style::Button(m_theme, style::ButtonKind::Plain, {}, "chevron-down", style::ControlSize::Small, row);
    m_run->setLayoutDirection(Qt::RightToLeft);  // the chevron stands behind the name
    m_run->setObjectName("live.header.run");
    m_run->setMinimumWidth(kLeastName);
    m_id = new style::Label(m_theme, {}, style::TextStyle::Small, style::Role::MutedText, row);
    m_id->setObjectName("live.header.id");
    m_description = new style::ElidedLabel(m_theme, {}, style::TextStyle::Body, style::Role::MutedText, row);
    const auto makeButton = [&](const QString& text, const QString& icon, const QString& name) {
        auto* button = new style::Button(m_theme, style::ButtonKind::Outlined, text, icon, style::ControlSize::Small, row);
        button->setObjectName("live.header." + name);
        return button;
    };
    m_checkpoint = makeButton(tr("Checkpoint"), "checkpoint", "checkpoint");
    m_checkpoint->setToolTip(tr("Write a checkpoint now"));
    m_stop = makeButton(tr("Stop"), "stop", "stop");
    m_stop->setIconName("stop", style::Role::Error);
    m_stop->setToolTip(tr("Write a checkpoint and stop the run"));
    m_resume = makeButton(tr("Resume"), "resume", "resume");
    m_resume->setToolTip(tr("Go on from the newest checkpoint"));
    connect(m_run, &QPushButton::clicked, this, &LiveHeader::chooseRunAsked);
    connect(m_checkpoint, &QPushButton::clicked, this, &LiveHeader::checkpointAsked);
    connect(m_stop, &QPushButton::clicked, this, &LiveHeader::stopAsked);
    connect(m_resume, &QPushButton::clicked, this, &LiveHeader::resumeAsked);
    for (QWidget* widget : std::initializer_list<QWidget*>{m_pill, m_run, m_id}) line->addWidget(widget);
    line->addWidget(m_description, 1);
    for (QWidget* widget : std::initializer_list<QWidget*>{m_checkpoint, m_resume, m_stop}) line->addWidget(widget);
    return row;
}

QWidget* LiveHeader::makeFigureRow() {
    auto* row = new FigureRow(this);
    constexpr std::array<int, Count> kShares{6, 6, 4, 5, 6, 4};
    const std::array<QString, Count> captions{tr("Step"),       tr("Loss, train"),   tr("Accuracy, validation"),
                                              tr("Throughput"), tr("Step time p50"), tr("Workers")};
    for (int i = 0; i < Count; ++i) {
        auto* figure = new style::KeyFigure(m_theme, captions[static_cast<std::size_t>(i)], row);
        figure->setObjectName(QStringLiteral("live.header.figure%1").arg(i));
        m_figures[static_cast<std::size_t>(i)] = figure;
        row->add(figure, kShares[static_cast<std::size_t>(i)]);
    }
    return row;
}

void LiveHeader::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    fitName();
}

// A long name gives way before state, id and buttons do.
void LiveHeader::fitName() {
    int room =
        width() - 2 * style::space::kPagePadding - m_pill->sizeHint().width() - m_id->sizeHint().width() - m_theme.iconSize(kNameRest);
    for (const auto* button : {m_checkpoint, m_stop, m_resume})
        if (!button->isHidden()) room -= button->sizeHint().width() + style::space::kS;
    const QString shown = m_run->fontMetrics().elidedText(m_name, Qt::ElideMiddle, std::max(kLeastName, room));
    m_run->setText(text::withoutMnemonic(shown));
    m_run->setToolTip(shown == m_name ? tr("Choose another run") : m_name);
}

void LiveHeader::showRun(const api::RunSummary& summary) {
    m_pill->setPill(statePill(summary));
    const auto name = QString::fromStdString(summary.name.empty() ? summary.run.value : summary.name);
    m_name = name;
    m_run->setAccessibleName(tr("Run %1").arg(name));
    m_id->setText(shortId(summary.run));
    m_id->setToolTip(QString::fromStdString(summary.run.value));
    QStringList parts;
    if (!summary.strategy.empty()) parts << QString::fromStdString(summary.strategy);
    if (summary.ranks > 0) parts << tr("%n worker(s)", nullptr, summary.ranks);
    if (summary.started > 0)
        parts << tr("started %1").arg(text::formatMoment(summary.started, static_cast<double>(QDateTime::currentSecsSinceEpoch())));
    const auto sentence = sentenceOf(summary);
    if (!sentence.isEmpty()) parts << sentence;
    m_description->setText(parts.join(QStringLiteral(", ")));
    const bool idle = api::isIdle(summary.state);
    m_checkpoint->setVisible(!idle);
    m_checkpoint->setEnabled(summary.state == api::RunState::Running);
    m_stop->setVisible(!idle);
    m_resume->setVisible(idle && summary.state != api::RunState::Completed && !summary.problem);
    fitName();
}

void LiveHeader::showProgress(const api::RunSummary& summary, const LiveSeries& series) {
    auto& step = *m_figures[Step];
    step.setValue(text::formatInteger(static_cast<std::int64_t>(summary.step)),
                  summary.steps > 0 ? tr("of %1").arg(text::formatInteger(static_cast<std::int64_t>(summary.steps))) : QString());
    step.setProgress(summary.steps > 0 ? static_cast<double>(summary.step) / static_cast<double>(summary.steps) : -1);
    const auto times = series.recentPercentiles("step_seconds");
    const bool going = summary.state == api::RunState::Running && summary.steps > summary.step && times &&
                       series.fewestSamples("step_seconds") >= std::min<std::uint64_t>(kStepsForEta, summary.steps / 2);
    step.setCaptionEnd(going ? tr("ETA %1").arg(text::formatDuration(times->p50 * static_cast<double>(summary.steps - summary.step)))
                             : QString());
    auto& time = *m_figures[StepTime];
    if (times)
        time.setValue(text::formatFigure(times->p50 * 1e3), tr("ms, p95 %1").arg(text::formatFigure(times->p95 * 1e3)));
    else
        time.setValue(text::formatFigure(std::nullopt));
}

// Of a run that has ended nobody is up, or late: only how many there were, and who failed.
void LiveHeader::showWorkers(const api::RunSummary& summary, const std::vector<api::RankStatus>& ranks, const LiveSeries& series) {
    const auto failed = static_cast<int>(std::ranges::count(ranks, "failed", &api::RankStatus::state));
    const auto all = static_cast<int>(ranks.size());
    if (api::isIdle(summary.state)) {
        m_figures[Workers]->setValue(text::formatInteger(all));
        m_figures[Workers]->setNote(failed == 0 ? QString() : tr("%n failed", nullptr, failed), style::Tone::Bad);
        return;
    }
    m_figures[Workers]->setValue(tr("%1 of %2").arg(all - failed).arg(all));
    const auto late = series.lateRanks();
    m_figures[Workers]->setNote(late.empty() ? QString() : tr("%n late", nullptr, static_cast<int>(late.size())), style::Tone::Warning);
}

void LiveHeader::showValues(const api::RunSummary& summary, const std::vector<api::RankStatus>& ranks, const LiveSeries& series) {
    showProgress(summary, series);
    const auto best = series.least("loss");
    m_figures[Loss]->setValue(text::formatFigure(series.last("loss")), best ? tr("best %1").arg(text::formatFigure(best)) : QString());
    const auto validation = series.last("val_accuracy");
    m_figures[Accuracy]->setCaption(validation ? tr("Accuracy, validation") : tr("Accuracy, train"));
    m_figures[Accuracy]->setValue(text::formatFigure(validation ? validation : series.last("accuracy")));
    const auto speed = series.samplesPerSecond();
    m_figures[Throughput]->setValue(speed ? text::formatCompact(*speed) : text::formatFigure(std::nullopt), tr("samples/s"));
    showWorkers(summary, ranks, series);
    for (auto* figure : m_figures) figure->setStale(summary.problem.has_value());
}

}  // namespace lockstep::pages
