#include "logs_sources.h"

#include <text/format.h>

#include <QPainter>
#include <QStyledItemDelegate>

#include <limits>
#include <utility>

namespace lockstep::pages {

using style::Role;
using style::TextStyle;

namespace {

constexpr int kWidth = 190;
constexpr int kPadding = 12;
constexpr int kNameLeft = 22;
constexpr int kAll = std::numeric_limits<int>::min();
// Names grow with the text, the room around them less.
int widthFor(const style::Theme& theme) { return static_cast<int>(kWidth * (0.25 + 0.75 * theme.textScale())); }
enum ItemRole { SourceRole = Qt::UserRole, LinesRole, ErrorsRole };

// Name at the left; at the right how many errors, else how many lines.
class SourceDelegate : public QStyledItemDelegate {
public:
    SourceDelegate(const style::Theme& theme, QObject* parent) : QStyledItemDelegate(parent), m_theme(theme) {}

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const override {
        const int name = QFontMetrics(m_theme.font(TextStyle::Strong)).horizontalAdvance(index.data().toString());
        return {kNameLeft + name + 2 * kPadding + countWidth(index), m_theme.heightFor(TextStyle::Body, style::layout::kTableRow)};
    }
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        painter->save();
        const auto area = option.rect;
        if (option.state.testFlag(QStyle::State_Selected))
            painter->fillRect(area, m_theme.color(Role::AccentTint));
        else if (option.state.testFlag(QStyle::State_MouseOver))
            painter->fillRect(area, m_theme.color(Role::Hover));
        const int source = index.data(SourceRole).toInt();
        const auto color = source >= 0 ? m_theme.series(source).line : m_theme.color(source == kAll ? Role::Surface : Role::ChartAxis);
        if (source != kAll) painter->fillRect(QRect(area.left() + 12, area.top() + 7, 3, area.height() - 14), color);
        const int taken = paintCount(*painter, area.adjusted(0, 0, -kPadding, 0), index) + kPadding;
        painter->setFont(m_theme.font(option.state.testFlag(QStyle::State_Selected) ? TextStyle::Strong : TextStyle::Body));
        painter->setPen(m_theme.color(Role::Text));
        const QRect room(area.left() + kNameLeft, area.top(), area.width() - kNameLeft - kPadding - taken, area.height());
        const auto name = QFontMetrics(painter->font()).elidedText(index.data().toString(), Qt::ElideRight, room.width());
        painter->drawText(room, Qt::AlignLeft | Qt::AlignVCenter, name);
        if (option.state.testFlag(QStyle::State_HasFocus)) {
            painter->setPen(QPen(m_theme.color(Role::Focus), style::edge::kFocusWidth));
            painter->drawRect(area.adjusted(1, 1, -1, -1));
        }
        painter->restore();
    }

private:
    int countWidth(const QModelIndex& index) const {
        const auto errors = index.data(ErrorsRole).toULongLong(), lines = index.data(LinesRole).toULongLong();
        const auto count = text::formatInteger(static_cast<std::int64_t>(errors > 0 ? errors : lines));
        const int width = QFontMetrics(m_theme.font(TextStyle::Small)).horizontalAdvance(count);
        return errors == 0 ? width : width + style::space::kXs + m_theme.iconSize(style::icon_size::kInline);
    }
    // How many errors with their mark, else how many lines. The width taken.
    int paintCount(QPainter& painter, const QRect& area, const QModelIndex& index) const {
        const auto errors = index.data(ErrorsRole).toULongLong(), lines = index.data(LinesRole).toULongLong();
        const auto count = text::formatInteger(errors > 0 ? errors : lines);
        painter.setFont(m_theme.font(TextStyle::Small));
        painter.setPen(m_theme.color(errors > 0 ? Role::Error : Role::MutedText));
        painter.drawText(area, Qt::AlignRight | Qt::AlignVCenter, count);
        const int width = QFontMetrics(painter.font()).horizontalAdvance(count);
        if (errors == 0) return width;
        const int size = m_theme.iconSize(style::icon_size::kInline);
        const auto picture = style::iconPixmap(m_theme, QStringLiteral("error"), Role::Error, size, painter.device()->devicePixelRatioF());
        const int left = area.right() - width - style::space::kXs - size;
        painter.drawPixmap(QRect(left, area.top() + (area.height() - size) / 2, size, size), picture);
        return width + style::space::kXs + size;
    }

    const style::Theme& m_theme;
};

}  // namespace

LogsSources::LogsSources(const style::Theme& theme, QWidget* parent) : QListWidget(parent), m_theme(theme) {
    setObjectName(QStringLiteral("logs.sources.list"));
    setAccessibleName(tr("Sources"));
    setFrameShape(QFrame::NoFrame);
    setMouseTracking(true);
    setUniformItemSizes(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFixedWidth(widthFor(theme));
    setItemDelegate(new SourceDelegate(theme, this));
    connect(&theme, &style::Theme::changed, this, [this] {
        setFixedWidth(widthFor(m_theme));
        scheduleDelayedItemsLayout();
    });
    connect(this, &QListWidget::currentItemChanged, this, [this](QListWidgetItem* item) {
        if (item && !m_filling) emit chosenByPerson(chosen());
    });
    setSources({}, {});
}

void LogsSources::setSources(const std::set<int>& ranks, const std::map<int, models::LogModel::SourceCount>& counts) {
    std::set<int> sources = ranks;
    models::LogModel::SourceCount all;
    for (const auto& [rank, count] : counts) {
        sources.insert(rank);
        all.lines += count.lines;
        all.errors += count.errors;
    }
    sources.insert(kAll);
    const auto before = chosen();
    m_filling = true;
    int row = 0;
    for (const int source : sources) {
        while (row < this->count() && item(row)->data(SourceRole).toInt() < source) delete takeItem(row);
        if (row == this->count() || item(row)->data(SourceRole).toInt() != source) {
            auto* fresh = new QListWidgetItem(source == kAll ? tr("All sources")
                                              : source < 0   ? tr("Controller")
                                                             : tr("Rank %1").arg(source));
            fresh->setData(SourceRole, source);
            insertItem(row, fresh);
        }
        const auto found = counts.find(source);
        const auto count = source == kAll ? all : found == counts.end() ? models::LogModel::SourceCount{} : found->second;
        item(row)->setData(LinesRole, static_cast<qulonglong>(count.lines));
        item(row)->setData(ErrorsRole, static_cast<qulonglong>(count.errors));
        const auto words = tr("%1: lines %2, errors %3").arg(item(row)->text()).arg(count.lines).arg(count.errors);
        item(row)->setData(Qt::AccessibleTextRole, words);
        item(row)->setToolTip(words);
        ++row;
    }
    while (row < this->count()) delete takeItem(row);
    m_filling = false;
    choose(before);
}

std::optional<int> LogsSources::chosen() const {
    const auto* item = currentItem();
    if (!item || item->data(SourceRole).toInt() == kAll) return std::nullopt;
    return item->data(SourceRole).toInt();
}

void LogsSources::choose(std::optional<int> rank) {
    m_filling = true;
    int row = 0;
    for (int i = 0; i < count(); ++i)
        if (rank && item(i)->data(SourceRole).toInt() == *rank) row = i;
    setCurrentRow(row);
    m_filling = false;
}

}  // namespace lockstep::pages
