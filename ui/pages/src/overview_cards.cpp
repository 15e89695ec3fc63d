#include "overview_cards.h"

#include "overview_row.h"

#include <text/format.h>

#include <QDir>
#include <QHBoxLayout>
#include <QPainter>
#include <QVBoxLayout>

#include <algorithm>
#include <iterator>

namespace lockstep::pages {

using style::Role;
using style::TextStyle;

namespace {

constexpr int kFactRow = 46;
constexpr int kStepCircle = 22;
constexpr std::size_t kMostProjects = 6;

QString text(const std::string& value) { return QString::fromStdString(value); }

class StepNumber : public QWidget {
public:
    StepNumber(const style::Theme& theme, int number, QWidget* parent) : QWidget(parent), m_theme(theme), m_number(number) {
        const int size = theme.heightFor(TextStyle::Small, kStepCircle);
        setFixedSize(size, size);
        connect(&theme, &style::Theme::changed, this, [this] {
            const int grown = m_theme.heightFor(TextStyle::Small, kStepCircle);
            setFixedSize(grown, grown);
            update();
        });
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(m_theme.color(Role::BorderStrong));
        painter.drawEllipse(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
        painter.setFont(m_theme.font(TextStyle::Small));
        painter.setPen(m_theme.color(Role::Text));
        painter.drawText(rect(), Qt::AlignCenter, QString::number(m_number));
    }

private:
    const style::Theme& m_theme;
    int m_number;
};

QWidget* emptyRows(style::Card& card) {
    auto* rows = new QWidget(&card);
    auto* column = new QVBoxLayout(rows);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    card.body()->addWidget(rows);
    return rows;
}

}  // namespace

OverviewFacts::OverviewFacts(const style::Theme& theme, QWidget* parent)
    : Card(theme, tr("This computer"), style::CardHeader::Wide, parent), m_theme(theme), m_pill(new style::StatePill(theme, {}, this)) {
    addToHeaderEnd(m_pill);
    clear();
    m_pill->setPill({tr("Looking"), style::Tone::Neutral, QStringLiteral("spinner")});
    addRow(QStringLiteral("info"), tr("Looking at processor, memory and disk"), {});
}

void OverviewFacts::clear() {
    delete m_rows;
    m_rows = emptyRows(*this);
}

void OverviewFacts::addRow(const QString& iconName, const QString& fact, const QString& value) {
    auto* column = static_cast<QVBoxLayout*>(m_rows->layout());
    if (column->count() > 0) column->addWidget(new style::Divider(Qt::Horizontal, style::Divider::Weight::Faint, m_rows));
    auto* row = new QWidget(m_rows);
    row->setMinimumHeight(m_theme.heightFor(TextStyle::Body, kFactRow));
    auto* across = new QHBoxLayout(row);
    across->setContentsMargins(style::space::kCardPaddingXWide, 0, style::space::kCardPaddingXWide, 0);
    across->setSpacing(style::space::kM);
    across->addWidget(new style::IconLabel(m_theme, iconName, Role::MutedText, style::icon_size::kNav, row));
    across->addWidget(new style::ElidedLabel(m_theme, fact, TextStyle::Body, Role::Text, row), 1);
    if (!value.isEmpty()) across->addWidget(new style::Label(m_theme, value, TextStyle::Body, Role::MutedText, row));
    column->addWidget(row, 1);
}

void OverviewFacts::setHost(const api::HostView& host) {
    m_host = host;
    showAll();
}

void OverviewFacts::setChecks(const std::vector<api::DoctorLine>& lines) {
    m_checked = true;
    m_failed.clear();
    std::ranges::copy_if(lines, std::back_inserter(m_failed), [](const api::DoctorLine& l) { return l.status == api::CheckStatus::Fail; });
    if (m_host) showAll();
}

void OverviewFacts::showAll() {
    clear();
    if (!m_checked)
        m_pill->setPill({tr("Checking…"), style::Tone::Neutral, QStringLiteral("search")});
    else if (m_failed.empty())
        m_pill->setPill({tr("Ready"), style::Tone::Good, QStringLiteral("check-circle")});
    else
        m_pill->setPill({tr("Not ready"), style::Tone::Bad, QStringLiteral("error")});
    showFailed();
    showHost(*m_host);
}

void OverviewFacts::showFailed() {
    for (const api::DoctorLine& line : m_failed) addRow(QStringLiteral("error"), text(line.found + ". " + line.fix), {});
}

void OverviewFacts::showHost(const api::HostView& host) {
    const QString processor = host.processor.empty() ? text(host.system) : text(host.processor);
    addRow(QStringLiteral("processor"), (host.cores == 1 ? tr("%1, 1 core") : tr("%1, %n cores", nullptr, host.cores)).arg(processor),
           text::formatBytes(static_cast<double>(host.memoryBytes)));
    int gpus = 0;
    for (const api::DeviceView& device : host.devices) {
        if (device.kind == "cpu") continue;
        addRow(QStringLiteral("tpu"), QStringLiteral("%1  %2").arg(text(device.id), text(device.name)),
               text::formatBytes(static_cast<double>(device.memoryBytes)));
        ++gpus;
    }
    if (gpus == 0) addRow(QStringLiteral("info"), tr("No GPU found"), tr("CPU training works"));
    if (host.shmBytes > 0) addRow(QStringLiteral("memory"), tr("Shared memory"), text::formatBytes(static_cast<double>(host.shmBytes)));
    if (host.diskFreeBytes > 0)
        addRow(QStringLiteral("folder"), tr("Disk"), tr("%1 free").arg(text::formatBytes(static_cast<double>(host.diskFreeBytes))));
}

void OverviewFacts::setProblem(const QString& sentence) {
    m_host.reset();
    clear();
    m_pill->setPill({tr("Not known"), style::Tone::Warning, QStringLiteral("warning")});
    addRow(QStringLiteral("warning"), sentence, {});
}

OverviewSteps::OverviewSteps(const style::Theme& theme, QWidget* parent)
    : Card(theme, tr("How a run comes together"), style::CardHeader::Wide, parent) {
    const std::pair<QString, QString> steps[] = {
        {tr("Pick an experiment"), tr("A file in experiments/ names model, data, strategy and devices.")},
        {tr("Run it"), tr("TF_CONFIG is written and ports are assigned for you.")},
        {tr("Watch it live"), tr("Close the window at any time: the run goes on.")},
    };
    int number = 0;
    for (const auto& [title, words] : steps) {
        if (number > 0) body()->addWidget(new style::Divider(Qt::Horizontal, style::Divider::Weight::Faint, this));
        auto* row = new QWidget(this);
        auto* across = new QHBoxLayout(row);
        across->setContentsMargins(style::space::kCardPaddingXWide, style::space::kM, style::space::kCardPaddingXWide, style::space::kM);
        across->setSpacing(style::space::kM);
        across->addWidget(new StepNumber(theme, ++number, row), 0, Qt::AlignTop);
        auto* column = new QVBoxLayout;
        column->setSpacing(0);
        auto* sentence = new style::Label(theme, words, TextStyle::Small, Role::MutedText, row);
        sentence->setWordWrap(true);
        column->addWidget(new style::Label(theme, title, TextStyle::Body, Role::Text, row));
        column->addWidget(sentence);
        column->addStretch(1);
        across->addLayout(column, 1);
        body()->addWidget(row, 1);
    }
}

OverviewProjects::OverviewProjects(const style::Theme& theme, QWidget* parent)
    : Card(theme, tr("Recent projects"), style::CardHeader::Wide, parent), m_theme(theme) {
    hide();
}

void OverviewProjects::setProjects(const std::vector<RecentProject>& projects) {
    if (projects == m_projects) return;
    m_projects = projects;
    delete m_rows;
    m_rows = emptyRows(*this);
    for (std::size_t i = 0; i < std::min(projects.size(), kMostProjects); ++i) {
        const QString folder = QDir::toNativeSeparators(projects[i].folder);
        auto* row = new OverviewRow(m_theme, QStringLiteral("folder"), projects[i].name, folder, {}, m_rows);
        row->setObjectName(QStringLiteral("overview.projects.row"));
        row->setAccessibleName(tr("Open project %1 in %2").arg(projects[i].name, folder));
        row->setToolTip(folder);
        m_rows->layout()->addWidget(row);
        connect(row, &QAbstractButton::clicked, this, [this, folder = projects[i].folder] { emit openProject(folder); });
    }
    setVisible(!projects.empty());
}

OverviewExperiments::OverviewExperiments(const style::Theme& theme, QWidget* parent)
    : Card(theme, tr("Choose an experiment and run it"), style::CardHeader::Wide, parent), m_theme(theme) {
    hide();
}

void OverviewExperiments::setExperiments(const std::vector<Experiment>& experiments) {
    if (experiments == m_experiments) return;
    m_experiments = experiments;
    delete m_rows;
    m_rows = emptyRows(*this);
    for (const Experiment& experiment : experiments) {
        const QString detail =
            experiment.origin == Experiment::Origin::Preset ? tr("%1; comes with Lockstep").arg(experiment.detail) : experiment.detail;
        auto* row = new OverviewRow(m_theme, QStringLiteral("play"), experiment.name, detail, tr("Run"), m_rows);
        row->setObjectName(QStringLiteral("overview.experiments.row"));
        row->setAccessibleName(tr("Run %1, %2").arg(experiment.name, detail));
        row->setToolTip(detail + QLatin1Char('\n') + QDir::toNativeSeparators(experiment.file));
        row->setEnabled(!m_starting);
        m_rows->layout()->addWidget(row);
        connect(row, &QAbstractButton::clicked, this, [this, file = experiment.file] { emit runExperiment(file); });
    }
}

void OverviewExperiments::setStarting(bool starting) {
    m_starting = starting;
    for (auto* row : findChildren<OverviewRow*>()) row->setEnabled(!starting);
}

}  // namespace lockstep::pages
