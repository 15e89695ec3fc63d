// Text on pages: a label in one of the text styles and colour roles, and one that elides. Both follow the theme.
//
// Threads: GUI thread only. The theme must outlive them.
#pragma once

#include <style/theme.h>

#include <QLabel>

namespace lockstep::style {

class Label : public QLabel {
    Q_OBJECT
public:
    Label(const Theme& theme, const QString& text, TextStyle style = TextStyle::Body, Role role = Role::Text, QWidget* parent = nullptr);
    void setRole(Role role);

private:
    void refresh();
    const Theme& m_theme;
    TextStyle m_style;
    Role m_role;
};

// One line that gives way: shows an ellipsis when it has no room, and then the full text as tool tip.
class ElidedLabel : public QWidget {
    Q_OBJECT
public:
    ElidedLabel(const Theme& theme, const QString& text, TextStyle style = TextStyle::Body, Role role = Role::Text,
                QWidget* parent = nullptr);
    void setText(const QString& text);
    QString text() const { return m_text; }
    void setRole(Role role);
    void setElideMode(Qt::TextElideMode mode);
    void setAlignment(Qt::Alignment alignment);
    bool isElided() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void refresh();
    const Theme& m_theme;
    QString m_text;
    TextStyle m_style;
    Role m_role;
    Qt::TextElideMode m_mode = Qt::ElideRight;
    Qt::Alignment m_alignment = Qt::AlignLeft | Qt::AlignVCenter;
};

// An icon as a widget; decoration unless it gets an accessible name.
class IconLabel : public QWidget {
    Q_OBJECT
public:
    IconLabel(const Theme& theme, const QString& name, Role role = Role::MutedText, int size = icon_size::kControl,
              QWidget* parent = nullptr);
    void setIcon(const QString& name, Role role);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const Theme& m_theme;
    QString m_name;
    Role m_role;
    int m_size;
};

}  // namespace lockstep::style
