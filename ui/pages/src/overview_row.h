// One thing of a list as a wide button: icon, strong title, muted detail, and at the right what a click does.
//
// Threads: GUI thread only. The theme must outlive it.
#pragma once

#include <style/theme.h>

#include <QAbstractButton>

namespace lockstep::pages {

class OverviewRow : public QAbstractButton {
    Q_OBJECT
public:
    // `action` may be empty.
    OverviewRow(const style::Theme& theme, const QString& iconName, const QString& title, const QString& detail, const QString& action,
                QWidget* parent);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void draw(QPainter& painter, const QRect& area, style::TextStyle style, style::Role role, const QString& words) const;
    const style::Theme& m_theme;
    QString m_iconName, m_detail, m_action;
};

}  // namespace lockstep::pages
