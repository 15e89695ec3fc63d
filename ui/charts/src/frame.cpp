#include "frame.h"

#include <qcustomplot.h>

#include <QBuffer>
#include <QFontMetricsF>
#include <QSvgGenerator>

#include <algorithm>
#include <cmath>

namespace lockstep::charts {
namespace {

constexpr int kTop = 6;
constexpr int kMostGridLines = 5;
constexpr int kTickLength = 4;
constexpr int kLabelPadding = 5;

}  // namespace

class Frame::Painted : public QCPAbstractItem {
public:
    Painted(QCustomPlot* plot, const QString& layer, std::function<void(QPainter&)> paint)
        : QCPAbstractItem(plot), m_paint(std::move(paint)) {
        setLayer(layer);
        setSelectable(false);
    }
    double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }

protected:
    QRect clipRect() const override { return parentPlot()->viewport(); }
    void draw(QCPPainter* painter) override {
        if (m_paint) m_paint(*painter);
    }

private:
    std::function<void(QPainter&)> m_paint;
};

class Frame::Ticker : public QCPAxisTicker {
public:
    Ticks ticks;

protected:
    double getTickStep(const QCPRange&) override { return 1; }
    int getSubTickCount(double) override { return 0; }
    QVector<double> createTickVector(double, const QCPRange&) override { return QVector<double>(ticks.at.begin(), ticks.at.end()); }
    QVector<QString> createLabelVector(const QVector<double>& shown, const QLocale&, QChar, int) override {
        QVector<QString> labels;
        for (const double each : shown) {
            const auto place = std::find(ticks.at.begin(), ticks.at.end(), each);
            labels.append(place == ticks.at.end() ? QString() : ticks.text[place - ticks.at.begin()]);
        }
        return labels;
    }
};

Frame::Frame(QWidget* parent, Painters painters) : m_plot(new QCustomPlot(parent)), m_xTicks(new Ticker), m_yTicks(new Ticker) {
    m_plot->setAttribute(Qt::WA_TransparentForMouseEvents);
    m_plot->setFocusPolicy(Qt::NoFocus);
    m_plot->setInteractions({});
    m_plot->setNoAntialiasingOnDrag(false);
    m_plot->setPlottingHint(QCP::phFastPolylines, true);
    m_plot->addLayer(QStringLiteral("crosshair"), m_plot->layer(QStringLiteral("overlay")));
    m_plot->layer(QStringLiteral("crosshair"))->setMode(QCPLayer::lmBuffered);
    new Painted(m_plot, QStringLiteral("main"), std::move(painters.curves));
    new Painted(m_plot, QStringLiteral("overlay"), std::move(painters.overlay));
    new Painted(m_plot, QStringLiteral("crosshair"), std::move(painters.cursors));
    m_plot->xAxis->setTicker(m_xTicks);
    m_plot->yAxis->setTicker(m_yTicks);
    m_plot->axisRect()->setAutoMargins(QCP::msNone);
    m_plot->axisRect()->setMinimumMargins({});
    for (QCPAxis* axis : {m_plot->xAxis, m_plot->yAxis}) {
        axis->setSubTicks(false);
        axis->setTickLengthIn(0);
        axis->setTickLabelPadding(kLabelPadding);
    }
    m_plot->xAxis->setTickLengthOut(kTickLength);
    m_plot->xAxis->grid()->setVisible(false);
    m_plot->yAxis->setTickLengthOut(0);
    m_plot->yAxis->setBasePen(Qt::NoPen);
    m_plot->yAxis->setTickPen(Qt::NoPen);
    m_plot->yAxis->grid()->setZeroLinePen(Qt::NoPen);
    m_plot->yAxis->grid()->setAntialiased(false);
}

Frame::~Frame() = default;

void Frame::setLook(const ChartColors& colors, const QFont& caption) {
    m_caption = caption;
    m_plot->setBackground(colors.background);
    m_plot->yAxis->grid()->setPen(QPen(colors.grid, 1));
    m_plot->xAxis->setBasePen(QPen(colors.axis, 1));
    m_plot->xAxis->setTickPen(QPen(colors.axis, 1));
    for (QCPAxis* axis : {m_plot->xAxis, m_plot->yAxis}) {
        axis->setTickLabelColor(colors.mutedText);
        axis->setTickLabelFont(caption);
    }
    m_bottom = std::max(22, static_cast<int>(std::ceil(QFontMetricsF(caption).height())) + kTickLength + kLabelPadding);
}

void Frame::setAxes(const Axes& axes) {
    const QFontMetricsF metrics(m_caption);
    const int rows = std::clamp(static_cast<int>((m_size.height() - kTop - m_bottom) / (1.55 * metrics.height())), 2, kMostGridLines);
    m_yTicks->ticks = axes.empty ? Ticks{} : valueTicks(axes.y, axes.yScale, rows, axes.format);
    double widest = 0;
    for (const QString& each : m_yTicks->ticks.text) widest = std::max(widest, metrics.horizontalAdvance(each));
    m_left = std::max(40, static_cast<int>(std::ceil(widest)) + kLabelPadding + 6);
    const QString longest = axes.kind == XAxis::Step ? QStringLiteral("00.0k") : QStringLiteral("00:00:00");
    const int columns = std::clamp(static_cast<int>(area().width() / (metrics.horizontalAdvance(longest) + 24)), 2, 10);
    m_xTicks->ticks = axes.xScale == Scale::Log  ? logTicks(axes.x, columns)
                      : axes.kind == XAxis::Step ? stepTicks(axes.x, columns)
                                                 : timeTicks(axes.x, columns, axes.kind);
    m_plot->xAxis->setScaleType(axes.xScale == Scale::Log && axes.x.from > 0 ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    m_plot->yAxis->setScaleType(axes.yScale == Scale::Log && axes.y.from > 0 ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    m_plot->xAxis->setRange(axes.x.from, axes.x.to);
    m_plot->yAxis->setRange(axes.y.from, axes.y.to);
    m_plot->axisRect()->setMargins(QMargins(m_left, kTop, m_right, m_bottom));
}

void Frame::resize(const QSize& size) {
    m_size = size;
    m_plot->setGeometry(QRect({0, 0}, size));
}

QRectF Frame::area() const {
    return {double(m_left), double(kTop), std::max(1.0, double(m_size.width() - m_left - m_right)),
            std::max(1.0, double(m_size.height() - kTop - m_bottom))};
}

void Frame::replot() { m_plot->replot(QCustomPlot::rpQueuedRefresh); }

void Frame::replotCursors() { m_plot->layer(QStringLiteral("crosshair"))->replot(); }

QImage Frame::image(double scale) {
    m_plot->layer(QStringLiteral("crosshair"))->setVisible(false);
    const QImage picture = m_plot->toPixmap(m_size.width(), m_size.height(), scale).toImage();
    m_plot->layer(QStringLiteral("crosshair"))->setVisible(true);
    return picture;
}

QByteArray Frame::svg() {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setSize(m_size);
    generator.setViewBox(QRect({0, 0}, m_size));
    m_plot->layer(QStringLiteral("crosshair"))->setVisible(false);
    {
        QCPPainter painter(&generator);
        painter.setMode(QCPPainter::pmVectorized);
        painter.setMode(QCPPainter::pmNoCaching);
        m_plot->toPainter(&painter, m_size.width(), m_size.height());
    }
    m_plot->layer(QStringLiteral("crosshair"))->setVisible(true);
    return bytes;
}

}  // namespace lockstep::charts
