#include "figure_row.h"

#include <QEvent>
#include <QGridLayout>

#include <algorithm>

namespace lockstep::pages {
namespace {

constexpr int kBetween = 2 * style::space::kS + style::edge::kWidth;

}  // namespace

FigureRow::FigureRow(QWidget* parent) : QWidget(parent), m_grid(new QGridLayout(this)) {
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setHorizontalSpacing(style::space::kS);
    m_grid->setVerticalSpacing(style::space::kS);
}

void FigureRow::add(style::KeyFigure* figure, int share) {
    m_entries.append({figure, new style::Divider(Qt::Vertical, style::Divider::Weight::Edge, this), share});
    m_columns = 0;
    place();
}

int FigureRow::columnsFor(int width) const {
    const int all = static_cast<int>(m_entries.size());
    for (const int columns : {all, (all + 1) / 2}) {
        int wanted = 0;
        for (int column = 0; column < columns; ++column) {
            int widest = 0;
            for (int i = column; i < all; i += columns) widest = std::max(widest, m_entries[i].figure->minimumSizeHint().width());
            wanted += widest + (column > 0 ? kBetween : 0);
        }
        if (wanted <= width) return std::max(1, columns);
    }
    return 2;
}

void FigureRow::place() {
    const int columns = columnsFor(width());
    if (columns == m_columns) return;
    m_columns = columns;
    for (int i = 0; i < m_grid->columnCount(); ++i) m_grid->setColumnStretch(i, 0);
    int number = 0;
    for (const Entry& entry : m_entries) {
        const int row = number / columns, column = number % columns;
        m_grid->addWidget(entry.line, row, 2 * column);
        m_grid->addWidget(entry.figure, row, 2 * column + 1);
        m_grid->setColumnStretch(2 * column + 1, std::max(entry.share, m_grid->columnStretch(2 * column + 1)));
        entry.line->setVisible(column > 0);
        ++number;
    }
    updateGeometry();
}

QSize FigureRow::minimumSizeHint() const {
    int widest = 0;
    for (const Entry& entry : m_entries) widest = std::max(widest, entry.figure->minimumSizeHint().width());
    return {2 * widest + kBetween, QWidget::minimumSizeHint().height()};
}

void FigureRow::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    place();
}

// Words that came or grew may need another arrangement.
bool FigureRow::event(QEvent* event) {
    if (event->type() == QEvent::LayoutRequest) place();
    return QWidget::event(event);
}

}  // namespace lockstep::pages
