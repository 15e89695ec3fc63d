// Looks like a field, is a button: opens the locator. The shortcut at its right end gives way first.
#pragma once

#include <style/theme.h>

#include <QAbstractButton>

namespace lockstep::shell {

class SearchButton : public QAbstractButton {
    Q_OBJECT
public:
    SearchButton(const style::Theme& theme, const QString& hint, const QString& shortcut, QWidget* parent);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const style::Theme& m_theme;
    QString m_hint;
    QString m_shortcut;
};

}  // namespace lockstep::shell
