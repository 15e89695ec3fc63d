// The axes of one chart: a QCustomPlot that draws background, grid, ticks and labels, and hands three layers to painters of ours:
// curves (clipped to the area), overlay (labels, event lines) and cursors (buffered: moving them redraws no curve).
#pragma once

#include <charts/axis.h>
#include <charts/chart_colors.h>
#include <charts/ticks.h>

#include <QByteArray>
#include <QFont>
#include <QImage>
#include <QPainter>
#include <QSize>
#include <QWidget>

#include <functional>
#include <memory>

class QCustomPlot;

namespace lockstep::charts {

class Frame {
public:
    struct Painters {
        std::function<void(QPainter&)> curves;
        std::function<void(QPainter&)> overlay;
        std::function<void(QPainter&)> cursors;
    };
    struct Axes {
        Range x;
        XAxis kind = XAxis::Step;
        Scale xScale = Scale::Linear;
        Range y;
        Scale yScale = Scale::Linear;
        ValueFormat format = ValueFormat::Number;  // of the labels along y
        bool empty = false;                        // no y labels and no grid
    };

    Frame(QWidget* parent, Painters painters);
    ~Frame();

    void setLook(const ChartColors& colors, const QFont& caption);
    void setAxes(const Axes& axes);
    void setRightMargin(int pixels) { m_right = pixels; }
    void resize(const QSize& size);
    QRectF area() const;
    void replot();
    void replotCursors();
    QImage image(double scale);
    QByteArray svg();

private:
    class Painted;
    class Ticker;

    QCustomPlot* m_plot;  // child of the parent widget
    QSharedPointer<Ticker> m_xTicks;
    QSharedPointer<Ticker> m_yTicks;
    QFont m_caption;
    int m_left = 40;
    int m_right = 14;
    int m_bottom = 22;
    QSize m_size;
};

}  // namespace lockstep::charts
