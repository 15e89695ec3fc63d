// The one status bar (30 high): toggles of the panes at the left, facts at the right.
#pragma once

#include <shell/values.h>
#include <style/pill.h>

#include <QHash>
#include <QStatusBar>
#include <QToolButton>

class QHBoxLayout;

namespace lockstep::style {
class ElidedLabel;
class IconButton;
class Label;
}  // namespace lockstep::style

namespace lockstep::shell {

class PaneToggle;
class BusyBars;

class BottomBar : public QStatusBar {
    Q_OBJECT
public:
    BottomBar(const style::Theme& theme, QWidget* parent);

    void addPane(const QString& id, const QString& title, const QString& shortcut);
    void setCounter(const QString& id, int count, style::Tone tone);
    void setOpenPane(const QString& id);  // empty = none; no signal
    void setFacts(const Facts& facts);
    // The way back to a dock that is closed; a null string hides it.
    void setDockButton(const QString& dockTitle);

signals:
    void paneToggled(const QString& id);
    void dockClicked();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    const style::Theme& m_theme;
    QWidget* m_content;
    QHBoxLayout* m_toggles;
    QHash<QString, PaneToggle*> m_byId;
    style::ElidedLabel* m_note;
    QWidget* m_runDot;
    style::Label* m_runs;
    style::Label* m_hosts;
    style::Label* m_busyTitle;
    BusyBars* m_bars;
    style::Label* m_busy;
    style::IconButton* m_dock;
};

}  // namespace lockstep::shell
