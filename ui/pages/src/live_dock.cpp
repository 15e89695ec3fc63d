#include "live_dock.h"

#include "dock_delegates.h"
#include "run_words.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QScrollBar>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <iterator>

namespace lockstep::pages {
namespace {

struct WholeRun {
    const char* series;
    const char* name;
    int color;  // of its curve where two stand in one chart
};
// In the order of importance.
constexpr WholeRun kWholeRun[] = {{"loss", QT_TRANSLATE_NOOP("lockstep::pages::LiveDock", "Loss, train"), 0},
                                  {"val_loss", QT_TRANSLATE_NOOP("lockstep::pages::LiveDock", "Loss, val"), 1},
                                  {"accuracy", QT_TRANSLATE_NOOP("lockstep::pages::LiveDock", "Acc., train"), 0},
                                  {"val_accuracy", QT_TRANSLATE_NOOP("lockstep::pages::LiveDock", "Acc., val"), 1},
                                  {"gradient_norm", QT_TRANSLATE_NOOP("lockstep::pages::LiveDock", "Grad norm"), -1},
                                  {"learning_rate", QT_TRANSLATE_NOOP("lockstep::pages::LiveDock", "Learn. rate"), -1}};
// Of each rank; throughput is in its chart.
constexpr const char* kPerRank = "compute_seconds";
constexpr double kMilliseconds = 1e3;

class ValuesTable : public QTableView {
public:
    using QTableView::QTableView;
    using QTableView::sizeHintForColumn;
};

ValuesTable* makeTable(QAbstractItemModel* model, const QString& name, const style::Theme& theme, QWidget* parent) {
    auto* table = new ValuesTable(parent);
    table->setModel(model);
    table->setAccessibleName(name);
    table->setFrameShape(QFrame::NoFrame);
    table->setShowGrid(false);
    table->setWordWrap(false);
    table->setTabKeyNavigation(false);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    table->setMouseTracking(true);
    table->verticalHeader()->hide();
    table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    const auto fit = [table, &theme] {
        table->setFont(theme.font(style::TextStyle::Small));
        table->verticalHeader()->setDefaultSectionSize(theme.heightFor(style::TextStyle::Small, style::layout::kTableRowDense));
    };
    QObject::connect(&theme, &style::Theme::changed, table, fit);
    fit();
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
        row->setContentsMargins(0, 0, 0, 0);
        row->addWidget(table);
        column->addLayout(row, share);
    };
    addTable(makeValues(), 2);
    column->addWidget(new style::Divider(Qt::Horizontal, style::Divider::Weight::Edge, this));
    addHeader(tr("Events"), new style::Label(theme, tr("newest first"), style::TextStyle::Caption, style::Role::MutedText, this));
    addTable(makeEvents(), 1);
    connect(&theme, &style::Theme::changed, this, [this] {
        m_widths = {};
        m_wanted = 0;
        widen();
    });
}

QTableView* LiveDock::makeValues() {
    auto* table = m_valuesTable = makeTable(&m_values, tr("Values at the cursors"), m_theme, this);
    table->setObjectName("live.dock.values");
    table->setItemDelegate(new ValuesDelegate(m_theme, table));
    table->horizontalHeader()->setSectionResizeMode(models::ValuesModel::Name, QHeaderView::Stretch);
    for (const int column : {models::ValuesModel::A, models::ValuesModel::B, models::ValuesModel::Difference})
        table->horizontalHeader()->setSectionResizeMode(column, QHeaderView::Fixed);
    return table;
}

QTableView* LiveDock::makeEvents() {
    auto* table = makeTable(&m_events, tr("Events of the run"), m_theme, this);
    // Warnings are whole sentences: they elide, and the tool tip has them.
    table->setProperty("prose", models::EventsModel::Text);
    table->setObjectName("live.dock.events");
    table->setItemDelegate(new EventsDelegate(m_theme, table));
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
    m_widths = {};
    m_wanted = 0;
    m_values.setRows({});
    m_events.clear();
}

// The phases of a launch are in the log; here they would hide what matters.
void LiveDock::addEvents(const std::vector<api::RunEvent>& events) {
    std::vector<api::RunEvent> shown;
    std::ranges::copy_if(events, std::back_inserter(shown), [](const api::RunEvent& event) { return event.kind != "phase"; });
    m_events.append(shown);
}

// Nothing before the first sample: a loss of validation is not known before it was measured.
std::optional<double> LiveDock::valueAt(const charts::SeriesData& samples, std::optional<double> x, bool newest) const {
    if (samples.empty()) return std::nullopt;
    if (!x) return newest ? samples.last().value : samples.at(0).value;
    const double slack = m_group.xAxis() == charts::XAxis::Step ? 0.5 : 1.0;  // s: values of one step come within that
    if (*x < samples.xOf(0, m_group.xAxis(), m_group.startTime()) - slack) return std::nullopt;
    const auto index = samples.nearest(*x, m_group.xAxis(), m_group.startTime());
    return index ? std::optional(samples.at(*index).value) : std::nullopt;
}

std::optional<double> LiveDock::stepAt(const charts::SeriesData& samples, std::optional<double> x, bool newest) const {
    const auto index =
        x ? samples.nearest(*x, m_group.xAxis(), m_group.startTime()) : std::optional(newest ? samples.size() - 1 : std::size_t{0});
    return index ? std::optional(static_cast<double>(samples.at(*index).step)) : std::nullopt;
}

void LiveDock::update(const LiveSeries& series) {
    std::vector<models::ValuesModel::Row> rows;
    const auto loss = series.find("loss");
    auto cursorA = m_group.cursorA();
    if (!cursorA && loss && !loss->empty()) cursorA = loss->xOf(0, m_group.xAxis(), m_group.startTime());
    const auto add = [&](const api::SeriesKey& key, const QString& name, double factor, int color) {
        const auto samples = series.find(key.name, key.rank);
        if (!samples) return;
        auto a = valueAt(*samples, cursorA, false), b = valueAt(*samples, m_group.cursorB(), true);
        if (a) *a *= factor;
        if (b) *b *= factor;
        rows.push_back({key, name, a, b, color, false});
    };
    if (loss && !loss->empty())
        rows.push_back(
            {{"step", api::kWholeRun}, tr("Step"), stepAt(*loss, cursorA, false), stepAt(*loss, m_group.cursorB(), true), -1, false, true});
    for (const auto& [name, text, color] : kWholeRun) add({name, api::kWholeRun}, tr(text), 1, color);
    const auto ranks = series.ranksOf(kPerRank);
    if (!ranks.empty()) rows.push_back({{kPerRank, api::kWholeRun}, tr("Compute time, ms"), {}, {}, -1, true});
    for (const int rank : ranks) add({kPerRank, rank}, rankName(rank), kMilliseconds, -1);
    m_values.setRows(std::move(rows));
    spanHeadings();
    widen();
}

// Names and figures are never cut: what the columns want decides, and the bar that scrolls them. Columns grow and don't shrink, so that
// nothing moves when figures change.
void LiveDock::widen() {
    auto* table = static_cast<ValuesTable*>(m_valuesTable);
    int wanted = 0;
    for (int column = 0; column < models::ValuesModel::ColumnCount; ++column) {
        int& width = m_widths[static_cast<std::size_t>(column)];
        const int hint = std::max(table->sizeHintForColumn(column), table->horizontalHeader()->sectionSizeHint(column));
        if (hint > width) {
            width = hint;
            if (column != models::ValuesModel::Name) table->horizontalHeader()->resizeSection(column, width);
        }
        wanted += width;
    }
    if (table->verticalScrollBar()->maximum() > 0) wanted += table->verticalScrollBar()->sizeHint().width();
    if (wanted <= m_wanted) return;
    m_wanted = wanted;
    updateGeometry();
}

QSize LiveDock::minimumSizeHint() const {
    const QSize own = QWidget::minimumSizeHint();
    return {std::max(own.width(), m_wanted), own.height()};
}

// A heading goes over all columns.
void LiveDock::spanHeadings() {
    const auto& rows = m_values.rows();
    for (int row = 0; row < static_cast<int>(rows.size()); ++row) {
        const int wanted = rows[static_cast<std::size_t>(row)].heading ? models::ValuesModel::ColumnCount : 1;
        if (m_valuesTable->columnSpan(row, 0) != wanted) m_valuesTable->setSpan(row, 0, 1, wanted);
    }
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
