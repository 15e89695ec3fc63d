// Lines of a LogModel, of which only those in sight are touched: rows of one height, so that a million cost what forty do.
// Gutter: time, source (its series colour and name), a mark for warnings and errors. Mouse and keyboard select lines; Up, Down, Page,
// Home and End move, Shift extends, Ctrl+A takes all. End goes back to following.
//
// Threads: GUI thread only.
#pragma once

#include <models/log_model.h>
#include <style/theme.h>

#include <QAbstractScrollArea>

#include <optional>
#include <utility>

namespace lockstep::pages {

class LogsView : public QAbstractScrollArea {
    Q_OBJECT
public:
    LogsView(const style::Theme& theme, models::LogModel& model, QWidget* parent = nullptr);

    // -1 = none.
    int currentRow() const { return m_current; }
    // First and last selected row.
    std::optional<std::pair<int, int>> selection() const;
    enum class Place : std::uint8_t { Nearest, Middle };
    void select(int row, Place place);
    void selectAll();
    int firstVisibleRow() const;
    int rowsPerPage() const;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    struct Columns {
        int time = 0, bar = 0, source = 0, mark = 0, text = 0, width = 0;
    };
    void measure();
    void updateRanges();
    void rowsAdded();
    void rowsTaken(int first, int last);
    void keepPlace();
    void restorePlace();
    void moveTo(int row, bool extend);
    void personScrolled();
    int rowAt(const QPoint& position) const;
    void ensureVisible(int row, Place place);
    void describeCurrent();
    void paintRow(QPainter& painter, int row, const QRect& area);
    void paintGutter(QPainter& painter, const QModelIndex& index, const QRect& area, models::LogLevel level);

    const style::Theme& m_theme;
    models::LogModel& m_model;
    Columns m_columns;
    int m_rowHeight = 18;
    int m_current = -1;
    int m_anchor = -1;
    int m_widestText = 0;               // of the lines painted so far
    std::optional<qulonglong> m_place;  // number of the line to come back to while the filter works
    int m_placeOffset = 0;              // rows between the top and that line
};

}  // namespace lockstep::pages
