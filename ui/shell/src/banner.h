// A strip over everything while something is wrong with the project as a whole: what, what to do, the code. Gone when it is right again.
#pragma once

#include <shell/values.h>
#include <style/text.h>
#include <style/theme.h>

#include <QWidget>

namespace lockstep::shell {

class Banner : public QWidget {
    Q_OBJECT
public:
    Banner(const style::Theme& theme, QWidget* parent);
    void show(const Issue& issue);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const style::Theme& m_theme;
    style::ElidedLabel* m_sentence = nullptr;
    style::ElidedLabel* m_next = nullptr;
};

}  // namespace lockstep::shell
