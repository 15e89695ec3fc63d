// A row of controls that goes on in the next line when it has no more room. What comes after addBreak() stands at the right end.
#pragma once

#include <QLayout>

#include <memory>
#include <vector>

namespace lockstep::style {

class FlowLayout : public QLayout {
public:
    // `spacing` between controls; `linePadding` above and below the tallest control of a line.
    FlowLayout(QWidget* parent, int spacing, int linePadding);
    ~FlowLayout() override;

    void addGap(int width);  // before the next item, unless it begins a line
    void addBreak() { m_breakAt = m_items.size(); }

    void addItem(QLayoutItem* item) override;
    int count() const override { return static_cast<int>(m_items.size()); }
    QLayoutItem* itemAt(int index) const override;
    QLayoutItem* takeAt(int index) override;
    Qt::Orientations expandingDirections() const override { return Qt::Horizontal; }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize minimumSize() const override;
    QSize sizeHint() const override;
    void setGeometry(const QRect& rect) override;

private:
    struct Entry {
        std::unique_ptr<QLayoutItem> item;
        int gap = 0;
        bool shown() const { return !item->isEmpty(); }
    };
    // Entries [first, last) that fit beside each other, and what is left of the width.
    struct Line {
        std::size_t first = 0, last = 0;
        int spare = 0;
        int height = 0;
    };
    std::vector<Line> linesOf(int width) const;
    void place(const Line& line, int left, int top) const;

    std::vector<Entry> m_items;
    int m_spacing;
    int m_linePadding;
    int m_nextGap = 0;
    std::size_t m_breakAt = static_cast<std::size_t>(-1);
};

}  // namespace lockstep::style
