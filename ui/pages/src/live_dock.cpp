#include "live_dock.h"

#include "run_words.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <iterator>

namespace lockstep::pages {
namespace {

// Series of the whole run in the order of importance, then each rank's own compute time.
constexpr std::pair<const char*, const char*> kWholeRun[] = {
    {"loss", QT_TRANSLATE_NOOP("lockstep::pages::LiveDock", "Loss, train")},
    {"val_loss", QT_TRANSLATE_NOOP("lockstep::pages::LiveDock", "Loss, val")},
    {"accuracy", QT_TRANSLATE_NOOP("lockstep::pages::LiveDock", "Acc., train")},
    {"val_accuracy", QT_TRANSLATE_NOOP("lockstep::pages::LiveDock", "Acc., val")},
    {"gradient_norm", QT_TRANSLATE_NOOP("lockstep::pages::LiveDock", "Grad norm")},
    {"learning_rate", QT_TRANSLATE_NOOP("lockstep::pages::LiveDock", "Learn. rate")}};
constexpr std::pair<const char*, const char*> kPerRank[] = {
    {"compute_seconds", QT_TRANSLATE_NOOP("lockstep::pages::LiveDock", "compute s")},
    {"samples_per_second", QT_TRANSLATE_NOOP("lockstep::pages::LiveDock", "samples/s")}};

QTableView* makeTable(QAbstractItemModel* model, const QString& name, const style::Theme& theme, QWidget* parent) {
    auto* table = new QTableView(parent);
    table->setModel(model);
    table->setAccessibleName(name);
    table->setFrameShape(QFrame::NoFrame);
    table->setShowGrid(false);
    table->setWordWrap(false);
    table->setTabKeyNavigation(false);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    table->setFont(theme.font(style::TextStyle::Small));
    table->verticalHeader()->hide();
    table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table->verticalHeader()->setDefaultSectionSize(theme.heightFor(style::TextStyle::Small, style::layout::kTableRowDense));
    table->horizontalHeader()->setHighlightSections(false);
    return table;
}

}  // namespace

LiveDock::LiveDock(const style::Theme& theme, charts::ChartGroup& group, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_group(group) {
    setObjectName("live.dock");
    setWindowTitle(tr("Values"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    const auto addHeader = [&](const QString& title, QWidget* end) {
        auto* row = new QHBoxLayout;
        row->setContentsMargins(style::space::kL, style::space::kXs, style::space::kS, style::space::kXs);
        row->addWidget(new style::Label(theme, title, style::TextStyle::Strong, style::Role::Text, this), 1);
        row->addWidget(end);
        column->addLayout(row);
    };
    auto* copy = new style::IconButton(theme, "copy", tr("Copy values"), this);
    copy->setObjectName("live.dock.copy");
    connect(copy, &QToolButton::clicked, this, &LiveDock::copyValues);
    auto* end = new QHBoxLayout;
    end->setContentsMargins(style::space::kL, style::space::kXs, style::space::kS, 0);
    end->addWidget(new style::Label(theme, tr("At cursors A and B"), style::TextStyle::Caption, style::Role::MutedText, this), 1);
    end->addWidget(copy);
    column->addLayout(end);
    const auto addTable = [&](QTableView* table, int share) {
        auto* row = new QHBoxLayout;
        row->setContentsMargins(style::space::kM, 0, style::space::kXs, 0);
        row->addWidget(table);
        column->addLayout(row, share);
    };
    addTable(makeValues(), 3);
    column->addWidget(new style::Divider(Qt::Horizontal, style::Divider::Weight::Edge, this));
    addHeader(tr("Events"), new style::Label(theme, tr("newest first"), style::TextStyle::Caption, style::Role::MutedText, this));
    addTable(makeEvents(), 2);
}

QTableView* LiveDock::makeValues() {
    auto* table = makeTable(&m_values, tr("Values at the cursors"), m_theme, this);
    table->setObjectName("live.dock.values");
    table->horizontalHeader()->setSectionResizeMode(models::ValuesModel::Name, QHeaderView::Stretch);
    for (const int column : {models::ValuesModel::A, models::ValuesModel::B, models::ValuesModel::Difference})
        table->horizontalHeader()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
    return table;
}

QTableView* LiveDock::makeEvents() {
    auto* table = makeTable(&m_events, tr("Events of the run"), m_theme, this);
    table->setObjectName("live.dock.events");
    table->horizontalHeader()->hide();
    for (const int column : {models::EventsModel::Time, models::EventsModel::Kind, models::EventsModel::Rank}) table->hideColumn(column);
    table->horizontalHeader()->moveSection(models::EventsModel::Text, models::EventsModel::Step);
    table->horizontalHeader()->setSectionResizeMode(models::EventsModel::Text, QHeaderView::Stretch);
    table->horizontalHeader()->setSectionResizeMode(models::EventsModel::Step, QHeaderView::ResizeToContents);
    connect(table, &QTableView::activated, this, [this](const QModelIndex& index) {
        const auto& event = m_events.event(index.row());
        emit eventChosen(event.rank, event.time);
    });
    return table;
}

void LiveDock::clear() {
    m_values.setRows({});
    m_events.clear();
}

// The phases of a launch are in the log; here they would hide what matters.
void LiveDock::addEvents(const std::vector<api::RunEvent>& events) {
    std::vector<api::RunEvent> shown;
    std::ranges::copy_if(events, std::back_inserter(shown), [](const api::RunEvent& event) { return event.kind != "phase"; });
    m_events.append(shown);
}

std::optional<double> LiveDock::valueAt(const charts::SeriesData& samples, std::optional<double> x, bool newest) const {
    if (samples.empty()) return std::nullopt;
    if (!x) return newest ? samples.last().value : samples.at(0).value;
    const auto index = samples.nearest(*x, m_group.xAxis(), m_group.startTime());
    return index ? std::optional(samples.at(*index).value) : std::nullopt;
}

void LiveDock::update(const LiveSeries& series) {
    std::vector<models::ValuesModel::Row> rows;
    const auto add = [&](const std::string& name, int rank, const QString& text) {
        const auto samples = series.find(name, rank);
        if (!samples) return;
        rows.push_back({{name, rank}, text, valueAt(*samples, m_group.cursorA(), false), valueAt(*samples, m_group.cursorB(), true)});
    };
    for (const auto& [name, text] : kWholeRun) add(name, api::kWholeRun, tr(text));
    for (const auto& [name, text] : kPerRank)
        for (const int rank : series.ranksOf(name)) add(name, rank, rankName(rank) + QLatin1Char(' ') + tr(text));
    m_values.setRows(std::move(rows));
}

void LiveDock::copyValues() const {
    QString text;
    for (int row = -1; row < m_values.rowCount(); ++row) {
        QStringList cells;
        for (int column = 0; column < m_values.columnCount(); ++column)
            cells << (row < 0 ? m_values.headerData(column, Qt::Horizontal, Qt::DisplayRole)
                              : m_values.data(m_values.index(row, column), Qt::DisplayRole))
                         .toString();
        text += cells.join(QLatin1Char('\t')) + QLatin1Char('\n');
    }
    QGuiApplication::clipboard()->setText(text);
}

}  // namespace lockstep::pages
