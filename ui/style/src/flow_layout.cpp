#include "flow_layout.h"

#include <QStyle>
#include <QWidget>

#include <algorithm>
#include <utility>

namespace lockstep::style {
namespace {

// Of a caption with its field too: no wider than the field may grow.
int mostWidth(const QLayoutItem& item) {
    const QWidget* widget = item.widget();
    const int own = item.maximumSize().width();
    return widget != nullptr && widget->layout() != nullptr ? std::min(own, widget->layout()->totalMaximumSize().width()) : own;
}

}  // namespace

FlowLayout::FlowLayout(QWidget* parent, int spacing, int linePadding) : QLayout(parent), m_spacing(spacing), m_linePadding(linePadding) {}

FlowLayout::~FlowLayout() = default;

void FlowLayout::addItem(QLayoutItem* item) {
    m_items.push_back({std::unique_ptr<QLayoutItem>(item), std::exchange(m_nextGap, 0)});
    invalidate();
}

void FlowLayout::addGap(int width) { m_nextGap = width; }

QLayoutItem* FlowLayout::itemAt(int index) const {
    return index >= 0 && index < count() ? m_items[static_cast<std::size_t>(index)].item.get() : nullptr;
}

QLayoutItem* FlowLayout::takeAt(int index) {
    if (index < 0 || index >= count()) return nullptr;
    QLayoutItem* item = m_items[static_cast<std::size_t>(index)].item.release();
    m_items.erase(m_items.begin() + index);
    invalidate();
    return item;
}

std::vector<FlowLayout::Line> FlowLayout::linesOf(int width) const {
    std::vector<Line> lines;
    int used = 0;
    for (std::size_t i = 0; i < m_items.size(); ++i) {
        if (!m_items[i].shown()) continue;
        const QSize size = m_items[i].item->sizeHint();
        const int more = m_spacing + m_items[i].gap + size.width();
        if (lines.empty() || used + more > width) {
            lines.push_back({i, i + 1, 0, 0});
            used = size.width();
        } else {
            lines.back().last = i + 1;
            used += more;
        }
        lines.back().spare = std::max(0, width - used);
        lines.back().height = std::max(lines.back().height, size.height() + 2 * m_linePadding);
    }
    return lines;
}

int FlowLayout::heightForWidth(int width) const {
    const QMargins margins = contentsMargins();
    int height = margins.top() + margins.bottom();
    for (const Line& line : linesOf(width - margins.left() - margins.right())) height += line.height;
    return height;
}

QSize FlowLayout::minimumSize() const {
    QSize least;
    for (const Entry& entry : m_items)
        if (entry.shown()) least = least.expandedTo(entry.item->minimumSize());
    const QMargins margins = contentsMargins();
    return least + QSize(margins.left() + margins.right(), margins.top() + margins.bottom() + 2 * m_linePadding);
}

QSize FlowLayout::sizeHint() const {
    const QMargins margins = contentsMargins();
    int width = 0;
    for (const Entry& entry : m_items)
        if (entry.shown()) width += entry.item->sizeHint().width() + entry.gap + (width > 0 ? m_spacing : 0);
    width += margins.left() + margins.right();
    return {width, heightForWidth(width)};
}

// What can grow takes the spare width of its line; else what comes after the break is moved to the right end.
void FlowLayout::place(const Line& line, int left, int top) const {
    int spare = line.spare;
    const bool mirrored = parentWidget() != nullptr && parentWidget()->isRightToLeft();
    for (std::size_t i = line.first; i < line.last; ++i) {
        const Entry& entry = m_items[i];
        if (!entry.shown()) continue;
        QSize size = entry.item->sizeHint();
        if (entry.item->expandingDirections().testFlag(Qt::Horizontal)) {
            const int grown = std::min(size.width() + spare, mostWidth(*entry.item));
            spare -= std::max(0, grown - size.width());
            size.setWidth(std::max(size.width(), grown));
        }
        if (i != line.first) left += m_spacing + entry.gap;
        if (i == m_breakAt) left += std::exchange(spare, 0);
        const QRect box(left, top + (line.height - size.height()) / 2, size.width(), size.height());
        entry.item->setGeometry(mirrored ? QStyle::visualRect(Qt::RightToLeft, geometry(), box) : box);
        left += size.width();
    }
}

void FlowLayout::setGeometry(const QRect& rect) {
    QLayout::setGeometry(rect);
    const QRect inside = rect.marginsRemoved(contentsMargins());
    const auto lines = linesOf(inside.width());
    int height = 0;
    for (const Line& line : lines) height += line.height;
    int top = inside.top() + std::max(0, (inside.height() - height) / 2);
    for (const Line& line : lines) {
        place(line, inside.left(), top);
        top += line.height;
    }
}

}  // namespace lockstep::style
