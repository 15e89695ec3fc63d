#include <style/controls.h>

#include <QButtonGroup>
#include <QEvent>
#include <QFontMetrics>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPainter>
#include <QStyle>

#include <algorithm>

namespace lockstep::style {
namespace {

const char* nameOf(ButtonKind kind) {
    switch (kind) {
        case ButtonKind::Main: return "main";
        case ButtonKind::Outlined: return "outlined";
        case ButtonKind::Plain: return "plain";
        case ButtonKind::Link: return "link";
    }
    return "outlined";
}

const char* nameOf(ControlSize size) {
    switch (size) {
        case ControlSize::Normal: return "normal";
        case ControlSize::Small: return "small";
        case ControlSize::Large: return "large";
    }
    return "normal";
}

constexpr int kSegmentPadding = 11;
constexpr int kExtraIconGap = space::kIconTextGap - 4;  // the style leaves 4 between icon and text

// Paints itself, so that the chosen one can be strong without growing.
class Segment : public QToolButton {
public:
    Segment(const Theme& theme, ControlSize size, QWidget* parent) : QToolButton(parent), m_theme(theme), m_size(size) {
        setCheckable(true);
        setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    }

    QSize sizeHint() const override {
        QFont strong = m_theme.font(TextStyle::Body);
        strong.setBold(true);
        const int least = m_size == ControlSize::Small ? control::kSegmentedSmall : control::kSegmented;
        return {QFontMetrics(strong).horizontalAdvance(text()) + 2 * kSegmentPadding, m_theme.heightFor(TextStyle::Body, least) - 2};
    }
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const QRectF box = QRectF(rect());
        painter.setPen(Qt::NoPen);
        painter.setBrush(m_theme.color(isChecked() ? Role::Surface : underMouse() && isEnabled() ? Role::Hover : Role::Sunken));
        painter.drawRoundedRect(box, radius::kChip, radius::kChip);
        if (hasFocus() && property("keyboardFocus").toBool()) {
            painter.setPen(QPen(m_theme.color(Role::Focus), edge::kFocusWidth));
            painter.drawRoundedRect(box.adjusted(1, 1, -1, -1), radius::kChip, radius::kChip);
        }
        QFont font = m_theme.font(TextStyle::Body);
        font.setBold(isChecked());
        painter.setFont(font);
        painter.setPen(m_theme.color(!isEnabled() ? Role::DisabledText : isChecked() ? Role::Text : Role::MutedText));
        painter.drawText(rect(), Qt::AlignCenter, text());
    }

private:
    const Theme& m_theme;
    ControlSize m_size;
};

}  // namespace

Button::Button(const Theme& theme, ButtonKind kind, const QString& text, const QString& iconName, ControlSize size, QWidget* parent)
    : QPushButton(text, parent), m_theme(theme) {
    setProperty("kind", QLatin1String(nameOf(kind)));
    setProperty("controlSize", QLatin1String(nameOf(size)));
    setAccessibleName(text);
    setSizePolicy(QSizePolicy::Minimum, QSizePolicy::Fixed);
    if (kind == ButtonKind::Link) setCursor(Qt::PointingHandCursor);
    setIconName(iconName, kind == ButtonKind::Main ? Role::OnAccent : Role::Text);
    const auto grow = [this] {
        const int side = m_theme.iconSize(icon_size::kControl);
        setIconSize({side + kExtraIconGap, side});
        update();
    };
    connect(&theme, &Theme::changed, this, grow);
    grow();
}

QSize Button::sizeHint() const {
    const QSize hint = QPushButton::sizeHint();
    if (!isCheckable()) return hint;
    QFont normal = m_theme.font(TextStyle::Body);
    QFont strong = normal;
    strong.setBold(true);
    // Twice: the style centres icon and words by the width they have when they are not strong.
    return hint + QSize(2 * (QFontMetrics(strong).horizontalAdvance(text()) - QFontMetrics(normal).horizontalAdvance(text())) + 2, 0);
}

void Button::setKind(ButtonKind kind) {
    setProperty("kind", QLatin1String(nameOf(kind)));
    style()->unpolish(this);
    style()->polish(this);
    updateGeometry();
}

int Button::widthWithText(const QString& words) const {
    const QFontMetrics metrics(m_theme.font(TextStyle::Body));
    return sizeHint().width() - metrics.horizontalAdvance(text()) + metrics.horizontalAdvance(words);
}

void Button::setIconName(const QString& name, Role role) { setIcon(name.isEmpty() ? QIcon() : style::icon(m_theme, name, role)); }

IconButton::IconButton(const Theme& theme, const QString& iconName, const QString& name, QWidget* parent) : QToolButton(parent) {
    setIcon(style::icon(theme, iconName));
    setToolTip(name);
    setAccessibleName(name);
    setFocusPolicy(Qt::StrongFocus);
    setMinimumSize(control::kMinTarget, control::kMinTarget);
    const auto grow = [this, &theme] {
        const int size = theme.iconSize(icon_size::kControl);
        setIconSize({size, size});
        update();
    };
    connect(&theme, &Theme::changed, this, grow);
    grow();
}

SegmentedControl::SegmentedControl(const Theme& theme, const QString& accessibleName, ControlSize size, QWidget* parent)
    : QFrame(parent), m_theme(theme), m_size(size), m_row(new QHBoxLayout(this)), m_group(new QButtonGroup(this)) {
    setAccessibleName(accessibleName);
    setProperty("segmented", true);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    m_row->setContentsMargins(1, 1, 1, 1);
    m_row->setSpacing(0);
    m_group->setExclusive(true);
    connect(m_group, &QButtonGroup::buttonClicked, this,
            [this](QAbstractButton* button) { emit chosenByPerson(button->property("segment").toString()); });
    connect(&theme, &Theme::changed, this, [this] {
        for (QAbstractButton* button : m_group->buttons()) button->updateGeometry();
    });
}

void SegmentedControl::addSegment(const QString& id, const QString& text, const QString& toolTip) {
    if (m_row->count() > 0) m_row->addWidget(new Divider(Qt::Vertical, Divider::Weight::Edge, this));
    auto* segment = new Segment(m_theme, m_size, this);
    segment->setText(text);
    segment->setToolTip(toolTip);
    segment->setAccessibleName(accessibleName() + QStringLiteral(": ") + text);
    segment->setProperty("segment", id);
    const bool first = m_group->buttons().isEmpty();
    segment->setFocusPolicy(first ? Qt::StrongFocus : Qt::ClickFocus);
    segment->installEventFilter(this);
    m_group->addButton(segment);
    m_row->addWidget(segment);
    segment->setChecked(first);
    connect(segment, &QToolButton::toggled, this, [segment](bool on) { segment->setFocusPolicy(on ? Qt::StrongFocus : Qt::ClickFocus); });
}

void SegmentedControl::choose(const QString& id) {
    for (QAbstractButton* button : m_group->buttons())
        if (button->property("segment").toString() == id) button->setChecked(true);
}

QString SegmentedControl::chosen() const {
    const QAbstractButton* button = m_group->checkedButton();
    return button == nullptr ? QString() : button->property("segment").toString();
}

bool SegmentedControl::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        const int forward = layoutDirection() == Qt::LeftToRight ? 1 : -1;
        if (key == Qt::Key_Right || key == Qt::Key_Left) {
            step(key == Qt::Key_Right ? forward : -forward);
            return true;
        }
    }
    return QFrame::eventFilter(watched, event);
}

void SegmentedControl::step(int by) {
    const auto buttons = m_group->buttons();
    const qsizetype at = buttons.indexOf(m_group->checkedButton());
    const qsizetype next = std::clamp<qsizetype>(at + by, 0, buttons.size() - 1);
    if (next == at) return;
    buttons[next]->setFocus(Qt::TabFocusReason);
    buttons[next]->click();
}

Divider::Divider(Qt::Orientation orientation, Weight weight, QWidget* parent) : QFrame(parent) {
    setProperty("line", weight == Weight::Edge ? QStringLiteral("true") : QStringLiteral("faint"));
    if (orientation == Qt::Horizontal)
        setFixedHeight(edge::kWidth);
    else
        setFixedWidth(edge::kWidth);
}

}  // namespace lockstep::style
