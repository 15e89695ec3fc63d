// A button of the top bar with icon, strong name, muted detail and chevron that opens a menu. Name and detail elide, the detail first.
#pragma once

#include <style/theme.h>

#include <QAbstractButton>

class QMenu;

namespace lockstep::shell {

class MenuButton : public QAbstractButton {
    Q_OBJECT
public:
    enum class Edge : std::uint8_t { None, Line };
    MenuButton(const style::Theme& theme, Edge edge, QWidget* parent);

    void setTexts(const QString& iconName, style::Role iconRole, const QString& name, const QString& detail);
    void setStrong(bool strong);
    QMenu* menu() { return m_menu; }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void openMenu();
    QFont nameFont() const;
    int iconWidth() const;
    int chevronWidth() const;
    int fixedWidth() const;  // all but the words
    const style::Theme& m_theme;
    Edge m_edge;
    QMenu* m_menu;
    QString m_iconName;
    style::Role m_iconRole = style::Role::MutedText;
    QString m_name;
    QString m_detail;
    bool m_strong = false;
};

}  // namespace lockstep::shell
