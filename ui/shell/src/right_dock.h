// The panel at the right (272): header 40 with title and close, under it what the page in front brings.
#pragma once

#include <style/theme.h>

#include <QFrame>

class QStackedWidget;

namespace lockstep::style {
class ElidedLabel;
}

namespace lockstep::shell {

class RightDock : public QFrame {
    Q_OBJECT
public:
    RightDock(const style::Theme& theme, QWidget* parent);
    // `content` may be null. Its window title is the dock's title; the page stays its owner.
    void setContent(QWidget* content);
    QWidget* content() const { return m_content; }

signals:
    void closeClicked();

private:
    style::ElidedLabel* m_title;
    QStackedWidget* m_stack;
    QWidget* m_content = nullptr;
};

}  // namespace lockstep::shell
