// What every chart of a page has in common: it belongs to a group, is redrawn by it, and turns mouse and keys into zoom, pan and cursors.
//
// Mouse: move = cursor B, click = pin cursor A, Shift+click = pin or release cursor B, drag = pan, double click = all
// (follow). Ctrl+wheel = zoom at the pointer, Shift+wheel or a wheel across = pan; the plain wheel is left to what scrolls around it. Keys:
// arrows move cursor B by a hundredth of the view (with Shift a tenth), Return pins A there, Escape removes the cursors, + and − zoom,
// PageUp and PageDown pan, End or Home follow.
#pragma once

#include <charts/axis.h>
#include <charts/chart_colors.h>
#include <charts/chart_group.h>

#include <QByteArray>
#include <QImage>
#include <QPointer>
#include <QString>
#include <QWidget>

#include <cstdint>
#include <optional>
#include <vector>

namespace lockstep::charts {

enum class EventKind { Checkpoint, Resume, DataChange, Alert, WorkerLost };

struct ChartEvent {
    EventKind kind = EventKind::Checkpoint;
    std::uint64_t step = 0;
    double time = 0;  // Unix seconds
    QString label;    // "resumed from 4 000"
    int rank = -1;    // lanes: the worker it concerns
    bool operator==(const ChartEvent&) const = default;
};

class SeriesData;

class ChartView : public QWidget {
    Q_OBJECT
public:
    ChartView(ChartGroup* group, QWidget* parent);  // group: not null; it may go before its charts, which then stand still
    ~ChartView() override;

    ChartGroup* group() const { return m_group; }
    const ChartColors& colors() const { return m_colors; }
    void setColors(const ChartColors& colors);
    const QString& title() const { return m_title; }
    void setTitle(const QString& title);  // accessible name; not drawn (it stands in the header of the card)
    void setUnit(const QString& unit);    // part of the accessible description and the CSV head
    const QString& unit() const { return m_unit; }
    // Shown instead of curves while there is no data in view: why, and what helps.
    void setEmptyText(const QString& text);
    const QString& emptyText() const { return m_emptyText; }
    void setEvents(std::vector<ChartEvent> events);
    const std::vector<ChartEvent>& events() const { return m_events; }
    // Tags with the letters A and B on the cursor lines: on the largest chart of a page only.
    void setCursorTags(bool on);
    bool cursorTags() const { return m_cursorTags; }
    bool hovered() const { return m_hovered; }
    void markDirty();  // drawn at the next refresh

    // Stretch of x of all its data in the group's axis.
    virtual std::optional<Range> extent() const = 0;
    // Area of the curves in widget coordinates.
    virtual QRectF plotArea() const = 0;
    // x of the same sample on another axis, for cursors and zoom when the kind of axis changes.
    virtual std::optional<double> convert(double x, XAxis from, XAxis to) const = 0;
    // The picture as it is shown, without cursors; `scale` device pixels per pixel.
    virtual QImage image(double scale);
    virtual QByteArray svg() = 0;
    // Samples in view: a head, then one line per sample; "." as decimal mark, nothing where a value is not finite.
    virtual QString csv() const = 0;

    QSize sizeHint() const override;  // of a small card: 136 high without its header

    double xAt(double pixel) const;  // group's x at a horizontal place of the widget
    double pixelAt(double x) const;
    double eventX(const ChartEvent& event) const;

signals:
    void redrawn();

protected:
    // New data since the last redraw().
    virtual bool hasNewData() const = 0;
    // Recomputes everything and draws. `refitY`: the user or follow moved the view, so y may be refitted too.
    virtual void redraw(bool refitY) = 0;
    virtual void redrawCursors() = 0;
    virtual void colorsChanged() {}
    virtual void hoverMoved(const QPointF&) {}  // also called when the pointer leaves, see hovered()
    virtual void clicked(const QPointF&) {}     // after cursor A was pinned
    // Lines of csv(): the samples in view, with a column for the smoothed values when they are given.
    QString csvLines(const QString& name, const SeriesData& raw, const SeriesData* smooth) const;
    QFont captionFont() const;  // 11 px where the widget's font has 13

    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    friend class ChartGroup;
    bool refreshIfNeeded(bool follow);
    bool drawable() const;
    void moveCursor(double parts);

    QPointer<ChartGroup> m_group;
    ChartColors m_colors;
    QString m_title;
    QString m_unit;
    QString m_emptyText;
    std::vector<ChartEvent> m_events;
    bool m_cursorTags = false;
    bool m_hovered = false;
    bool m_dirty = true;
    bool m_dragged = false;
    std::optional<QPointF> m_pressed;
    Range m_dragRange;
    std::uint64_t m_seenView = 0;
};

}  // namespace lockstep::charts
