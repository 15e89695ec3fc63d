#include "drawing_style.h"

#include <QPainter>
#include <QStyleFactory>
#include <QStyleOption>
#include <QWidget>

namespace lockstep::style {
namespace {

constexpr int kFieldPadding = 10;
constexpr int kArrowArea = 28;
constexpr int kTextMargin = 6;  // what a style leaves around the words
constexpr int kStepArea = 20;
constexpr int kChevron = 14;
constexpr int kSliderHandle = 12;
constexpr int kGroove = 2;
constexpr double kPenAlign = 0.5;

bool isOn(const QStyleOption& option, QStyle::StateFlag flag) { return option.state.testFlag(flag); }

// A check box inside a row of a view gets no widget of its own, so no focus edge either.
bool showsFocus(const QStyleOption& option, const QWidget* widget) {
    return isOn(option, QStyle::State_HasFocus) && widget != nullptr &&
           (widget->property("keyboardFocus").toBool() || widget->inherits("QAbstractSpinBox"));
}

void drawEdge(QPainter& painter, const QRectF& rect, const QColor& fill, const QColor& line, int width, double corner) {
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(line, width));
    painter.setBrush(fill);
    const double inset = width * kPenAlign;
    painter.drawRoundedRect(rect.adjusted(inset, inset, -inset, -inset), corner, corner);
}

bool isSmall(const QWidget* widget) { return widget != nullptr && widget->property("controlSize").toString() == QLatin1String("small"); }

}  // namespace

DrawingStyle::DrawingStyle(const Theme& theme) : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))), m_theme(&theme) {}

int DrawingStyle::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const {
    switch (metric) {
        case PM_IndicatorWidth:
        case PM_IndicatorHeight:
        case PM_ExclusiveIndicatorWidth:
        case PM_ExclusiveIndicatorHeight: return control::kCheckBox;
        case PM_CheckBoxLabelSpacing:
        case PM_RadioButtonLabelSpacing: return space::kS;
        case PM_SmallIconSize:
        case PM_ButtonIconSize: return icon_size::kControl;
        case PM_SliderLength:
        case PM_SliderThickness:
        case PM_SliderControlThickness: return kSliderHandle + 2 * edge::kFocusWidth;
        case PM_SplitterWidth: return edge::kWidth;
        case PM_FocusFrameHMargin:
        case PM_FocusFrameVMargin: return 0;  // inside, over the edge
        default: return QProxyStyle::pixelMetric(metric, option, widget);
    }
}

int DrawingStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget, QStyleHintReturn* data) const {
    switch (hint) {
        case SH_Widget_Animation_Duration: return 0;  // no motion
        case SH_ComboBox_Popup: return 0;             // a list under the field, as wide as it
        case SH_EtchDisabledText: return 0;
        case SH_FocusFrame_AboveWidget: return 1;
        case SH_FocusFrame_Mask: return 0;
        case SH_Slider_AbsoluteSetButtons: return Qt::LeftButton;
        default: return QProxyStyle::styleHint(hint, option, widget, data);
    }
}

void DrawingStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter, const QWidget* widget) const {
    if (m_theme.isNull()) return QProxyStyle::drawPrimitive(element, option, painter, widget);
    switch (element) {
        case PE_IndicatorCheckBox:
        case PE_IndicatorItemViewItemCheck: return drawCheckMark(*option, *painter, widget, radius::kCheckBox);
        case PE_IndicatorRadioButton: return drawCheckMark(*option, *painter, widget, option->rect.height() / 2.0);
        case PE_FrameFocusRect: return;  // focus is an edge of the control
        case PE_IndicatorArrowDown:
        case PE_IndicatorArrowUp:
        case PE_IndicatorArrowLeft:
        case PE_IndicatorArrowRight: {
            const char* name = element == PE_IndicatorArrowDown   ? "chevron-down"
                               : element == PE_IndicatorArrowUp   ? "chevron-up"
                               : element == PE_IndicatorArrowLeft ? "chevron-left"
                                                                  : "chevron-right";
            QRect box(0, 0, kChevron, kChevron);
            box.moveCenter(option->rect.center());
            icon(*m_theme, QString::fromLatin1(name))
                .paint(painter, box, Qt::AlignCenter, isOn(*option, State_Enabled) ? QIcon::Normal : QIcon::Disabled);
            return;
        }
        default: QProxyStyle::drawPrimitive(element, option, painter, widget);
    }
}

void DrawingStyle::drawControl(ControlElement element, const QStyleOption* option, QPainter* painter, const QWidget* widget) const {
    if (element != CE_FocusFrame || m_theme.isNull()) return QProxyStyle::drawControl(element, option, painter, widget);
    painter->save();
    drawEdge(*painter, option->rect, Qt::transparent, m_theme->color(Role::Focus), edge::kFocusWidth, radius::kControl);
    painter->restore();
}

void DrawingStyle::drawCheckMark(const QStyleOption& option, QPainter& painter, const QWidget* widget, double corner) const {
    painter.save();
    const bool enabled = isOn(option, State_Enabled);
    const bool set = isOn(option, State_On) || isOn(option, State_NoChange);
    QRectF box(0, 0, qMin(option.rect.width(), control::kCheckBox), qMin(option.rect.height(), control::kCheckBox));
    box.moveCenter(QRectF(option.rect).center());
    QColor fill = m_theme->color(!enabled                        ? Role::Sunken
                                 : set                           ? Role::Accent
                                 : isOn(option, State_MouseOver) ? Role::Hover
                                                                 : Role::Surface);
    QColor line = m_theme->color(!enabled ? Role::Border : set ? Role::Accent : Role::BorderStrong);
    const bool focus = showsFocus(option, widget);
    if (focus) line = m_theme->color(set ? Role::Text : Role::Focus);
    drawEdge(painter, box, fill, line, focus ? edge::kFocusWidth : edge::kWidth, corner);
    const QColor mark = m_theme->color(enabled ? Role::OnAccent : Role::DisabledText);
    painter.setPen(QPen(mark, 1.6, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.setBrush(Qt::NoBrush);
    const auto at = [&](double x, double y) { return box.topLeft() + QPointF(x * box.width(), y * box.height()); };
    if (isOn(option, State_NoChange)) {
        painter.drawLine(at(0.28, 0.5), at(0.72, 0.5));
    } else if (set && corner > radius::kCheckBox) {
        painter.setBrush(mark);
        painter.drawEllipse(box.center(), box.width() * 0.16, box.width() * 0.16);
    } else if (set) {
        painter.drawPolyline(QPolygonF{at(0.26, 0.52), at(0.43, 0.69), at(0.75, 0.33)});
    }
    painter.restore();
}

void DrawingStyle::drawBox(const QStyleOption& option, QPainter& painter, const QWidget* widget, Role idleEdge) const {
    const bool enabled = isOn(option, State_Enabled);
    const bool focus = showsFocus(option, widget);
    const bool invalid = widget != nullptr && widget->property("invalid").toBool();
    const Role fill = !enabled ? Role::Sunken : (isOn(option, State_MouseOver) && idleEdge == Role::Border) ? Role::Hover : Role::Surface;
    const Role line = focus ? Role::Focus : invalid ? Role::Error : enabled ? idleEdge : Role::Border;
    painter.save();
    drawEdge(painter, option.rect, m_theme->color(fill), m_theme->color(line), focus ? edge::kFocusWidth : edge::kWidth, radius::kControl);
    painter.restore();
}

void DrawingStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                                      const QWidget* widget) const {
    if (m_theme.isNull()) return QProxyStyle::drawComplexControl(control, option, painter, widget);
    if (control == CC_SpinBox) return drawSpinBox(*option, *painter, widget);
    if (control == CC_Slider) return drawSlider(*option, *painter, widget);
    if (control != CC_ComboBox) return QProxyStyle::drawComplexControl(control, option, painter, widget);
    drawBox(*option, *painter, widget, Role::Border);
    QStyleOption arrow(*option);
    arrow.rect = subControlRect(CC_ComboBox, option, SC_ComboBoxArrow, widget);
    proxy()->drawPrimitive(PE_IndicatorArrowDown, &arrow, painter, widget);
}

void DrawingStyle::drawSpinBox(const QStyleOptionComplex& option, QPainter& painter, const QWidget* widget) const {
    drawBox(option, painter, widget, Role::BorderStrong);
    for (const auto& [part, arrow] : {std::pair{SC_SpinBoxUp, PE_IndicatorArrowUp}, std::pair{SC_SpinBoxDown, PE_IndicatorArrowDown}}) {
        if (!option.subControls.testFlag(part)) continue;
        QStyleOption step(option);
        step.rect = subControlRect(CC_SpinBox, &option, part, widget);
        if (!step.rect.isEmpty()) proxy()->drawPrimitive(arrow, &step, &painter, widget);
    }
}

void DrawingStyle::drawSlider(const QStyleOptionComplex& option, QPainter& painter, const QWidget* widget) const {
    const QRectF groove = subControlRect(CC_Slider, &option, SC_SliderGroove, widget);
    const QPointF handle = QRectF(subControlRect(CC_Slider, &option, SC_SliderHandle, widget)).center();
    const bool enabled = isOn(option, State_Enabled);
    const Qt::Orientation direction = isOn(option, State_Horizontal) ? Qt::Horizontal : Qt::Vertical;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const auto line = [&](const QPointF& from, const QPointF& to, Role role) {
        painter.setPen(QPen(m_theme->color(role), kGroove, Qt::SolidLine, Qt::RoundCap));
        painter.drawLine(from, to);
    };
    const QPointF start =
        direction == Qt::Horizontal ? QPointF(groove.left() + kGroove, handle.y()) : QPointF(handle.x(), groove.bottom() - kGroove);
    const QPointF end =
        direction == Qt::Horizontal ? QPointF(groove.right() - kGroove, handle.y()) : QPointF(handle.x(), groove.top() + kGroove);
    line(start, end, enabled ? Role::BorderStrong : Role::Border);
    line(start, handle, enabled ? Role::Accent : Role::DisabledText);
    const bool focus = showsFocus(option, widget);
    painter.setPen(focus ? QPen(m_theme->color(Role::Text), edge::kFocusWidth) : QPen(Qt::NoPen));
    painter.setBrush(m_theme->color(enabled ? Role::Accent : Role::DisabledText));
    painter.drawEllipse(handle, kSliderHandle / 2.0, kSliderHandle / 2.0);
    painter.restore();
}

QRect DrawingStyle::subControlRect(ComplexControl control, const QStyleOptionComplex* option, SubControl part,
                                   const QWidget* widget) const {
    const QRect box = option->rect;
    const auto mirrored = [&](const QRect& rect) { return visualRect(option->direction, box, rect); };
    if (control == CC_ComboBox && part == SC_ComboBoxArrow)
        return mirrored(QRect(box.right() - kArrowArea + 4, box.top(), kArrowArea - 8, box.height()));
    if (control == CC_ComboBox && part == SC_ComboBoxEditField) return mirrored(box.adjusted(kFieldPadding, 1, -kArrowArea, -1));
    if (control == CC_SpinBox && part != SC_SpinBoxFrame) {
        const auto* spin = qstyleoption_cast<const QStyleOptionSpinBox*>(option);
        const int steps = spin != nullptr && spin->buttonSymbols == QAbstractSpinBox::NoButtons ? 0 : kStepArea;
        const QRect area(box.right() - steps, box.top() + 2, steps, box.height() - 4);
        if (part == SC_SpinBoxUp) return mirrored(QRect(area.topLeft(), QSize(steps, area.height() / 2)));
        if (part == SC_SpinBoxDown) return mirrored(area.adjusted(0, area.height() / 2, 0, 0));
        if (part == SC_SpinBoxEditField) return mirrored(box.adjusted(kFieldPadding - 2, 2, -steps - 2, -2));
    }
    return QProxyStyle::subControlRect(control, option, part, widget);
}

QSize DrawingStyle::sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& size, const QWidget* widget) const {
    const int least = isSmall(widget) ? control::kHeightSmall : control::kHeight;
    const int height = m_theme.isNull() ? least : m_theme->heightFor(TextStyle::Body, least);
    if (type == CT_ComboBox) return {size.width() + kFieldPadding + kArrowArea + kTextMargin, height};
    if (type == CT_SpinBox) return {size.width() + kFieldPadding + kStepArea, height};
    return QProxyStyle::sizeFromContents(type, option, size, widget);
}

}  // namespace lockstep::style
