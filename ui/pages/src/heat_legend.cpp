#include "heat_legend.h"

#include <QPainter>

namespace lockstep::pages {
namespace {

constexpr int kStop = 18, kHeight = 10, kGap = 6;

}  // namespace

HeatLegend::HeatLegend(const style::Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
    setObjectName("live.lanes.legend");
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    connect(&theme, &style::Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void HeatLegend::setRamp(Ramp ramp, const QString& low, const QString& high, const QString& meaning) {
    setToolTip(meaning);
    if (ramp == m_ramp && low == m_low && high == m_high) return;
    m_ramp = ramp;
    m_low = low;
    m_high = high;
    setAccessibleName(tr("Colours from %1 to %2").arg(low, high));
    updateGeometry();
    update();
}

QSize HeatLegend::sizeHint() const {
    const QFontMetrics metrics(m_theme.font(style::TextStyle::Caption));
    const auto stops = static_cast<int>(m_theme.scheme().late.stops.size());
    return {metrics.horizontalAdvance(m_low) + metrics.horizontalAdvance(m_high) + 2 * kGap + stops * kStop + 2, metrics.height() + 2};
}

void HeatLegend::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setFont(m_theme.font(style::TextStyle::Caption));
    const auto& stops = m_ramp == Ramp::Late ? m_theme.scheme().late.stops : m_theme.scheme().load.stops;
    const int low = painter.fontMetrics().horizontalAdvance(m_low);
    painter.setPen(m_theme.color(style::Role::MutedText));
    painter.drawText(rect(), Qt::AlignLeft | Qt::AlignVCenter, m_low);
    painter.drawText(rect(), Qt::AlignRight | Qt::AlignVCenter, m_high);
    int left = low + kGap;
    const int top = (height() - kHeight) / 2;
    for (const QColor& stop : stops) {
        painter.fillRect(left, top, kStop, kHeight, stop);
        left += kStop;
    }
    // The lowest stops are nearly the card's own colour.
    painter.setPen(m_theme.color(style::Role::Border));
    painter.drawRect(low + kGap, top, static_cast<int>(stops.size()) * kStop - 1, kHeight - 1);
}

}  // namespace lockstep::pages
