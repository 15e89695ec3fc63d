// Controls of the visual specification (section 4) that plain Qt widgets do not give: button kinds, segmented choice, icon buttons.
//
// Threads: GUI thread only. The theme must outlive them.
#pragma once

#include <style/theme.h>

#include <QFrame>
#include <QList>
#include <QPushButton>
#include <QToolButton>

class QButtonGroup;
class QHBoxLayout;

namespace lockstep::style {

enum class ButtonKind : std::uint8_t {
    Main,  // filled; at most one per page
    Outlined,
    Plain,  // no edge, no fill
    Link,   // accent text in a sentence or row
};
enum class ControlSize : std::uint8_t { Normal, Small, Large };  // 32, 28 (headers), 40 (first use)

class Button : public QPushButton {
    Q_OBJECT
public:
    // `iconName` may be empty.
    Button(const Theme& theme, ButtonKind kind, const QString& text, const QString& iconName = {}, ControlSize size = ControlSize::Normal,
           QWidget* parent = nullptr);
    void setIconName(const QString& name, Role role);
    void setKind(ButtonKind kind);
    // What it would want with these words; empty: with its icon alone.
    int widthWithText(const QString& text) const;
    // A checked one is strong and must not grow by that.
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

private:
    const Theme& m_theme;
};

// An icon alone, ≥ 24 px, with its name as tool tip and accessible name.
class IconButton : public QToolButton {
    Q_OBJECT
public:
    IconButton(const Theme& theme, const QString& iconName, const QString& name, QWidget* parent = nullptr);
};

// One of a few choices, all visible. Tab enters it at the chosen one, arrows choose.
class SegmentedControl : public QFrame {
    Q_OBJECT
public:
    explicit SegmentedControl(const Theme& theme, const QString& accessibleName, ControlSize size = ControlSize::Normal,
                              QWidget* parent = nullptr);
    // The first one added is chosen. `id` is what chosen() gives.
    void addSegment(const QString& id, const QString& text, const QString& toolTip = {});
    void choose(const QString& id);  // no signal
    QString chosen() const;

signals:
    void chosenByPerson(const QString& id);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void step(int by);
    const Theme& m_theme;
    ControlSize m_size;
    QHBoxLayout* m_row;
    QButtonGroup* m_group;
};

// 1 px line between rows (horizontal) or values (vertical).
class Divider : public QFrame {
    Q_OBJECT
public:
    enum class Weight : std::uint8_t { Edge, Faint };
    explicit Divider(Qt::Orientation orientation, Weight weight = Weight::Edge, QWidget* parent = nullptr);
};

}  // namespace lockstep::style
