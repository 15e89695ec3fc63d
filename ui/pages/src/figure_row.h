// Figures side by side with a line between them; without room for all they stand in two or three rows.
#pragma once

#include <style/card.h>

#include <QList>

class QGridLayout;

namespace lockstep::pages {

class FigureRow : public QWidget {
    Q_OBJECT
public:
    explicit FigureRow(QWidget* parent = nullptr);
    // `share` of the width it gets beside others.
    void add(style::KeyFigure* figure, int share);

    // Two beside each other: what is narrower than that is no window.
    QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;
    bool event(QEvent* event) override;

private:
    struct Entry {
        style::KeyFigure* figure;
        style::Divider* line;  // left of it
        int share;
    };
    int columnsFor(int width) const;
    void place();

    QGridLayout* m_grid;
    QList<Entry> m_entries;
    int m_columns = 0;
};

}  // namespace lockstep::pages
