// Fusion, with the parts that style sheets draw badly or only from coloured files: check boxes, radio buttons, combo boxes, spin boxes
// and sliders.
#pragma once

#include <style/theme.h>

#include <QPointer>
#include <QProxyStyle>

namespace lockstep::style {

class DrawingStyle : public QProxyStyle {
    Q_OBJECT
public:
    explicit DrawingStyle(const Theme& theme);

    int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override;
    int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget, QStyleHintReturn* data) const override;
    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter, const QWidget* widget) const override;
    void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter, const QWidget* widget) const override;
    void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                            const QWidget* widget) const override;
    QRect subControlRect(ComplexControl control, const QStyleOptionComplex* option, SubControl part, const QWidget* widget) const override;
    QSize sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& size, const QWidget* widget) const override;

private:
    void drawBox(const QStyleOption& option, QPainter& painter, const QWidget* widget, Role idleEdge) const;
    void drawCheckMark(const QStyleOption& option, QPainter& painter, const QWidget* widget, double corner) const;
    void drawSpinBox(const QStyleOptionComplex& option, QPainter& painter, const QWidget* widget) const;
    void drawSlider(const QStyleOptionComplex& option, QPainter& painter, const QWidget* widget) const;

    QPointer<const Theme> m_theme;
};

}  // namespace lockstep::style
