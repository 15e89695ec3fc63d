// The ramp of a heat map with the values at its ends, for the header of a card.
#pragma once

#include <style/theme.h>

#include <QWidget>

namespace lockstep::pages {

class HeatLegend : public QWidget {
    Q_OBJECT
public:
    explicit HeatLegend(const style::Theme& theme, QWidget* parent = nullptr);
    // Which of the two ramps of the theme, the values at its ends, and a sentence for the tool tip.
    enum class Ramp { Load, Late };
    void setRamp(Ramp ramp, const QString& low, const QString& high, const QString& meaning);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const style::Theme& m_theme;
    Ramp m_ramp = Ramp::Late;
    QString m_low, m_high;
};

}  // namespace lockstep::pages
