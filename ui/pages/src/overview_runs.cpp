#include "overview_runs.h"

#include "run_words.h"

#include <pages/run_look.h>
#include <text/format.h>

#include <QApplication>
#include <QDateTime>
#include <QHeaderView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace lockstep::pages {

using style::Role;
using style::TextStyle;

namespace {

constexpr std::size_t kMostRuns = 10;
constexpr int kRow = 36;
constexpr int kCurveHeight = 20;
constexpr int kCellPadding = 8, kEdgePadding = 16;  // as the header has them
constexpr int kLeastMuted = 60;
constexpr int kCurveWidth = 120;
constexpr int kLeastName = 170;  // at 100 %: else columns that say less give way

double nowSeconds() { return static_cast<double>(QDateTime::currentMSecsSinceEpoch()) / 1000.0; }

QString asText(const std::string& value) { return QString::fromStdString(value); }

class RunDelegate : public QStyledItemDelegate {
public:
    RunDelegate(const style::Theme& theme, const OverviewRunModel& model, QObject* parent)
        : QStyledItemDelegate(parent), m_theme(theme), m_model(model) {}

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const int height = m_theme.heightFor(TextStyle::Body, kRow);
        if (index.column() == OverviewRunModel::StateColumn)
            return {
                style::pillSize(m_theme, statePill(m_model.run(index.row()), style::PillSize::Small)).width() + kCellPadding + kEdgePadding,
                height};
        if (index.column() == OverviewRunModel::CurveColumn) return {kCurveWidth, height};
        return {QStyledItemDelegate::sizeHint(option, index).width() + kCellPadding + kEdgePadding, height};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        painter->save();
        const bool selected = option.state.testFlag(QStyle::State_Selected);
        if (selected || option.state.testFlag(QStyle::State_MouseOver))
            painter->fillRect(option.rect, m_theme.color(selected ? Role::AccentTint : Role::Hover));
        painter->fillRect(QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1), m_theme.color(Role::ChartGrid));
        const int column = index.column();
        const QRect cell = option.rect.adjusted(column == 0 ? kEdgePadding : kCellPadding, 0,
                                                column == OverviewRunModel::kColumns - 1 ? -kEdgePadding : -kCellPadding, -1);
        switch (index.column()) {
            case OverviewRunModel::StateColumn:
                style::paintPill(*painter, cell, m_theme, statePill(m_model.run(index.row()), style::PillSize::Small));
                break;
            case OverviewRunModel::CurveColumn: paintCurve(*painter, cell, index.data(OverviewRunModel::CurveRole).toList()); break;
            default: paintText(*painter, cell, index);
        }
        painter->restore();
    }

private:
    void paintText(QPainter& painter, const QRect& cell, const QModelIndex& index) const {
        const bool name = index.column() == OverviewRunModel::NameColumn;
        const QFont font = m_theme.font(name ? TextStyle::Strong : TextStyle::Body);
        const QString words = index.data().toString();
        const QFontMetrics metrics(font);
        painter.setFont(font);
        painter.setPen(m_theme.color(index.column() == OverviewRunModel::StartedColumn ? Role::MutedText : Role::Text));
        const Qt::Alignment side = Qt::Alignment(index.data(Qt::TextAlignmentRole).toInt());
        painter.drawText(cell, static_cast<int>(side) | Qt::TextSingleLine, metrics.elidedText(words, Qt::ElideRight, cell.width()));
        const QString muted = index.data(OverviewRunModel::MutedRole).toString();
        const QRect rest = cell.adjusted(metrics.horizontalAdvance(words) + style::space::kM, 0, 0, 0);
        if (muted.isEmpty() || rest.width() < kLeastMuted) return;
        const QFont small = m_theme.font(TextStyle::Small);
        painter.setFont(small);
        painter.setPen(m_theme.color(Role::MutedText));
        painter.drawText(rest, Qt::AlignVCenter | Qt::TextSingleLine, QFontMetrics(small).elidedText(muted, Qt::ElideRight, rest.width()));
    }

    void paintCurve(QPainter& painter, const QRect& cell, const QVariantList& values) const {
        std::vector<double> finite;
        for (const QVariant& value : values)
            if (std::isfinite(value.toDouble())) finite.push_back(value.toDouble());
        if (finite.size() < 2) return;
        const auto [low, high] = std::minmax_element(finite.begin(), finite.end());
        const double span = *high > *low ? *high - *low : 1;
        const double top = cell.center().y() - kCurveHeight / 2.0;
        QPolygonF line;
        for (std::size_t i = 0; i < finite.size(); ++i)
            line << QPointF(cell.left() + static_cast<double>(i) / static_cast<double>(finite.size() - 1) * cell.width(),
                            top + (1 - (finite[i] - *low) / span) * kCurveHeight);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(m_theme.series(0).line, 1.5));
        painter.drawPolyline(line);
    }

    const style::Theme& m_theme;
    const OverviewRunModel& m_model;
};

}  // namespace

void OverviewRunModel::setRuns(std::vector<api::RunSummary> runs, std::vector<std::vector<double>> curves) {
    m_all = runs;
    m_curves = std::move(curves);
    m_curves.resize(m_all.size());
    take(std::move(runs));
}

void OverviewRunModel::setShown(Shown shown) {
    if (shown == m_shown) return;
    m_shown = shown;
    take(m_all);
}

void OverviewRunModel::take(std::vector<api::RunSummary> runs) {
    if (m_shown == Shown::Newest && runs.size() > kMostRuns) runs.resize(kMostRuns);
    const bool sameRows = runs.size() == m_runs.size() &&
                          std::equal(runs.begin(), runs.end(), m_runs.begin(), [](const auto& a, const auto& b) { return a.run == b.run; });
    if (sameRows) {
        m_runs = std::move(runs);
        if (!m_runs.empty()) emit dataChanged(index(0, 0), index(rowCount() - 1, kColumns - 1));
        return;
    }
    beginResetModel();
    m_runs = std::move(runs);
    endResetModel();
}

int OverviewRunModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(m_runs.size()); }

int OverviewRunModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : kColumns; }

QString OverviewRunModel::text(const api::RunSummary& run, int column) const {
    switch (column) {
        case StateColumn: return statePill(run).word;
        case NameColumn: return asText(run.name.empty() ? run.run.value : run.name);
        case StepColumn: return run.problem ? QStringLiteral("–") : text::formatCount(run.step, run.steps);
        case LossColumn: return text::formatFigure(run.loss);
        case StartedColumn: return text::formatMoment(run.started, nowSeconds());
        default: return {};
    }
}

QVariant OverviewRunModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const auto row = static_cast<std::size_t>(index.row());
    const api::RunSummary& run = m_runs[row];
    const bool figure = index.column() == StepColumn || index.column() == LossColumn || index.column() == StartedColumn;
    switch (role) {
        case Qt::DisplayRole: return text(run, index.column());
        case Qt::AccessibleTextRole: return index.column() == CurveColumn ? tr("Loss curve") : text(run, index.column());
        case Qt::TextAlignmentRole: return static_cast<int>((figure ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
        case Qt::ToolTipRole:
            if (run.problem) return asText(run.problem->code + ": " + run.problem->message);
            if (index.column() == StateColumn && !run.cause.empty()) return asText(run.cause);
            return index.column() == NameColumn ? asText(run.run.value) : QVariant();
        case IdRole: return asText(run.run.value);
        case MutedRole:
            if (index.column() != NameColumn) return QString();
            return run.strategy.empty() ? shortId(run.run) : shortId(run.run) + QStringLiteral("  ") + asText(run.strategy);
        case CurveRole: {
            QVariantList values;
            if (index.column() == CurveColumn)
                for (const double value : m_curves[row]) values << value;
            return values;
        }
        default: return {};
    }
}

QVariant OverviewRunModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole) {
        const bool figure = section == StepColumn || section == LossColumn || section == StartedColumn;
        return static_cast<int>((figure ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    }
    if (role != Qt::DisplayRole) return {};
    switch (section) {
        case StateColumn: return tr("State");
        case NameColumn: return tr("Run");
        case StepColumn: return tr("Step");
        case LossColumn: return tr("Loss");
        case StartedColumn: return tr("Started");
        default: return QString();
    }
}

OverviewRuns::OverviewRuns(const style::Theme& theme, QWidget* parent)
    : Card(theme, tr("Recent runs"), style::CardHeader::Wide, parent), m_theme(theme), m_table(new RunTable(this)) {
    m_loading = new style::ElidedLabel(theme, {}, TextStyle::Small, Role::MutedText, this);
    addToHeaderEnd(m_loading);
    m_count = new style::Label(theme, {}, TextStyle::Small, Role::MutedText, this);
    m_count->setObjectName(QStringLiteral("overview.runs.count"));
    m_more = new style::Button(theme, style::ButtonKind::Link, {}, {}, style::ControlSize::Small, this);
    m_more->setObjectName(QStringLiteral("overview.runs.more"));
    addToHeaderEnd(m_count);
    addToHeaderEnd(m_more);
    connect(m_more, &QPushButton::clicked, this, [this] {
        const bool all = m_model.shown() == OverviewRunModel::Shown::All;
        m_model.setShown(all ? OverviewRunModel::Shown::Newest : OverviewRunModel::Shown::All);
        fitHeight();
        fitColumns();
        emit heightChanged();
    });
    m_none = new style::EmptyState(theme, QStringLiteral("live"), tr("No runs yet"), tr("Runs appear here with their loss curve."), this);
    body()->addWidget(m_none);
    body()->addWidget(m_table);
    m_table->setObjectName(QStringLiteral("overview.runs.table"));
    m_table->setAccessibleName(tr("Recent runs"));
    m_table->setModel(&m_model);
    m_table->setItemDelegate(new RunDelegate(theme, m_model, m_table));
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setShowGrid(false);
    m_table->setMouseTracking(true);
    m_table->setTabKeyNavigation(false);
    m_table->setWordWrap(false);
    m_table->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_table->verticalHeader()->hide();
    QHeaderView* header = m_table->horizontalHeader();
    header->setHighlightSections(false);
    header->setSectionsClickable(false);
    header->setSectionResizeMode(QHeaderView::ResizeToContents);
    header->setSectionResizeMode(OverviewRunModel::NameColumn, QHeaderView::Stretch);
    connect(m_table, &QTableView::activated, this, &OverviewRuns::opened);
    connect(m_table, &QTableView::clicked, this, &OverviewRuns::opened);
    connect(&theme, &style::Theme::changed, this, &OverviewRuns::fitHeight);
    connect(&theme, &style::Theme::changed, this, &OverviewRuns::fitColumns);
    fitHeight();
}

void OverviewRuns::opened(const QModelIndex& index) {
    if (index.isValid()) emit openRun(index.data(OverviewRunModel::IdRole).toString());
}

void OverviewRuns::setRuns(std::vector<api::RunSummary> runs, std::vector<std::vector<double>> curves) {
    m_model.setRuns(std::move(runs), std::move(curves));
    fitHeight();
    fitColumns();
}

void OverviewRuns::resizeEvent(QResizeEvent* event) {
    Card::resizeEvent(event);
    fitColumns();
}

// Without room for the name the curve goes first, then when it was started, then the loss.
void OverviewRuns::fitColumns() {
    int room = width() - static_cast<int>(kLeastName * m_theme.textScale());
    const auto wants = [this](int column) {
        return std::max(m_table->sizeHintForColumn(column), m_table->horizontalHeader()->sectionSizeHint(column));
    };
    for (const int column : {OverviewRunModel::StateColumn, OverviewRunModel::StepColumn}) room -= wants(column);
    for (const int column : {OverviewRunModel::LossColumn, OverviewRunModel::StartedColumn, OverviewRunModel::CurveColumn}) {
        room -= wants(column);
        m_table->setColumnHidden(column, room < 0);
    }
}

void OverviewRuns::setLoading(const QString& sentence) {
    m_loading->setText(sentence);
    if (!isEmpty() || sentence.isEmpty())
        m_none->setTexts(tr("No runs yet"), tr("Runs appear here with their loss curve."));
    else
        m_none->setTexts(sentence, {});
}

// Nothing is left out silently.
void OverviewRuns::showCount() {
    const int all = m_model.countOfAll(), shown = m_model.rowCount();
    const bool many = all > static_cast<int>(kMostRuns);
    m_count->setVisible(many);
    m_more->setVisible(many);
    m_count->setText(tr("%1 of %2").arg(text::formatInteger(shown), text::formatInteger(all)));
    m_more->setText(shown < all ? tr("Show all") : tr("Show the newest"));
    m_more->setAccessibleName(m_more->text());
}

void OverviewRuns::fitHeight() {
    showCount();
    m_table->setVisible(!isEmpty());
    m_none->setVisible(isEmpty());
    const int row = m_theme.heightFor(TextStyle::Body, kRow);
    m_table->verticalHeader()->setDefaultSectionSize(row);
    m_table->setFixedHeight(m_table->horizontalHeader()->sizeHint().height() + m_model.rowCount() * row + 2);
}

}  // namespace lockstep::pages
