// The look of the running program: one theme object, made first and destroyed last, handed by reference to whoever draws.
// Light, dark, or whatever the desktop has; text from 100 to 200 %.
//
// Threads: GUI thread only.
#pragma once

#include <style/metrics.h>
#include <style/tokens.h>

#include <QFont>
#include <QIcon>
#include <QObject>
#include <QPalette>
#include <QPixmap>
#include <QPointer>

class QApplication;
class QFocusFrame;

namespace lockstep::style {

enum class Mode : std::uint8_t { System, Light, Dark };

class Theme : public QObject {
    Q_OBJECT
public:
    explicit Theme(Tokens tokens, QObject* parent = nullptr);
    ~Theme() override;

    // Sets Fusion with our drawing, the palette, the font and the style sheet, and from now on follows the desktop in mode System.
    void apply(QApplication& application);

    void setMode(Mode mode);
    Mode mode() const { return m_mode; }
    bool isDark() const { return m_dark; }
    // 1.0 to 2.0; others are clamped.
    void setTextScale(double scale);
    double textScale() const { return m_textScale; }

    const Scheme& scheme() const { return m_dark ? m_tokens.dark : m_tokens.light; }
    const QColor& color(Role role) const { return scheme().color(role); }
    // Series n, 0-based, in token order; from the ninth on the colours start again (draw its markers open).
    const SeriesStyle& series(int index) const;

    QFont font(TextStyle style) const;
    int lineHeight(TextStyle style) const;
    // A token height, grown as its text grows: `least` when the text is at 100 %.
    int heightFor(TextStyle style, int least) const;
    // A token size of an icon, grown with the text.
    int iconSize(int token) const;

    QPalette palette() const;
    QString styleSheet() const;

signals:
    // Colours or text size are others now; palette and style sheet are set already.
    void changed();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void refresh();
    bool systemIsDark() const;
    void frameFocus(QWidget* widget);

    Tokens m_tokens;
    QApplication* m_application = nullptr;
    QPointer<QFocusFrame> m_frame;  // around lists, tables and texts, so that they need no room for an edge
    Mode m_mode = Mode::System;
    bool m_dark = false;
    bool m_applying = false;
    double m_textScale = 1.0;
};

// One of resources/icons, drawn in the role's colour of the theme at the moment of painting, at any device pixel ratio. Disabled:
// DisabledText. An unknown name gives a null icon (a test walks the names used). The theme must outlive the icon's painting.
QIcon icon(const Theme& theme, const QString& name, Role role = Role::MutedText, int size = icon_size::kControl);
// The same as a picture of now; ask again after Theme::changed().
QPixmap iconPixmap(const Theme& theme, const QString& name, Role role, int size, double devicePixelRatio);
bool iconExists(const QString& name);

}  // namespace lockstep::style
