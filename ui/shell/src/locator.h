// The locator: a field and a list over the window. Typing narrows, arrows choose, Enter goes there, Escape or a click elsewhere closes.
#pragma once

#include <shell/locator_model.h>
#include <style/theme.h>

#include <QFrame>
#include <QPointer>

class QLineEdit;
class QListView;

namespace lockstep::style {
class Label;
}

namespace lockstep::shell {

class Locator : public QFrame {
    Q_OBJECT
public:
    Locator(const style::Theme& theme, QWidget* parent);
    // Opens over the parent, its right edge at `right` (in the parent), with everything there is to find.
    void open(std::vector<LocatorItem> items, int right, int top);

signals:
    void chosen(const LocatorItem& item);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void queryChanged(const QString& query);
    void step(int by);
    void accept();
    void dismiss();
    const style::Theme& m_theme;
    LocatorModel m_model;
    QLineEdit* m_field;
    QListView* m_list;
    style::Label* m_none;
    QPointer<QWidget> m_focusBefore;
};

}  // namespace lockstep::shell
