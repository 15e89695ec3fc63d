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
    // As the specification has it, or what its content needs.
    QSize minimumSizeHint() const override;
    // Over the page instead of beside it: with a fill of its own.
    void setOverlay(bool overlay);
    bool isOverlay() const { return m_overlay; }

signals:
    void closeClicked();

protected:
    bool event(QEvent* event) override;

private:
    void fitWidth();
    const style::Theme& m_theme;
    style::ElidedLabel* m_title;
    QStackedWidget* m_stack;
    QWidget* m_content = nullptr;
    bool m_overlay = false;
};

}  // namespace lockstep::shell
