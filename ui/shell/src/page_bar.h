// The list of pages at the left: 180 wide, or 56 with icons alone. Tab enters it at the page in front, arrows go on.
#pragma once

#include <shell/page_registry.h>
#include <style/pill.h>

#include <QAbstractButton>
#include <QFrame>
#include <QHash>

class QVBoxLayout;

namespace lockstep::shell {

class NavButton : public QAbstractButton {
    Q_OBJECT
public:
    enum class Width : std::uint8_t { Wide, Collapsed };
    NavButton(const style::Theme& theme, const QString& iconName, const QString& title, QWidget* parent);
    void setWidth(Width width);
    void setBadge(int count, style::Tone tone);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }
    // Of the bar, when icons are all it shows.
    int collapsedWidth() const;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void paintBadge(QPainter& painter) const;
    int textLeft() const;
    const style::Theme& m_theme;
    QString m_iconName;
    Width m_width = Width::Wide;
    int m_badge = 0;
    style::Tone m_badgeTone = style::Tone::Neutral;
};

class PageBar : public QFrame {
    Q_OBJECT
public:
    PageBar(const style::Theme& theme, QWidget* parent);

    void addPage(PageGroup group, const pages::Page& page);
    void setCurrent(const QString& id);  // no signal
    void setBadge(const QString& id, int count, style::Tone tone);
    void setWidth(NavButton::Width width);
    NavButton::Width barWidth() const { return m_width; }
    int wantedWidth() const;
    // In the order of the bar, which is that of Ctrl+1…0.
    QStringList ids() const { return m_order; }
    // Tab goes from `before` through the bar, though pages are made before their buttons.
    void tabAfter(QWidget* before);

signals:
    void pageChosen(const QString& id);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void step(int by);
    const style::Theme& m_theme;
    QVBoxLayout* m_column;
    QHash<QString, NavButton*> m_buttons;
    QStringList m_order;
    NavButton::Width m_width = NavButton::Width::Wide;
    PageGroup m_lastGroup{};
    bool m_bottomReached = false;
};

}  // namespace lockstep::shell
