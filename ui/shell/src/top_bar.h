// 48 high: project menu (as wide as the page bar), target, Run / Stop / Resume, and the field that opens the locator.
#pragma once

#include <shell/values.h>
#include <style/theme.h>

#include <QFrame>

class QMenu;

namespace lockstep::style {
class Button;
}

namespace lockstep::shell {

class MenuButton;

class TopBar : public QFrame {
    Q_OBJECT
public:
    TopBar(const style::Theme& theme, QWidget* parent);

    void setProject(const ProjectLine& project);
    void setRecentProjects(const std::vector<ProjectLine>& projects);
    void setTarget(const TargetLine& target);
    void setControls(const RunControls& controls);
    // As wide as the page bar; `most`: where that is collapsed the name takes no more than it needs.
    void setProjectWidth(int width, bool most);
    QWidget* lastControl() const { return m_search; }
    QSize minimumSizeHint() const override;

signals:
    void runClicked();
    void stopClicked();
    void resumeClicked();
    void searchClicked();
    void newProjectClicked();
    void openProjectClicked(const QString& folder);  // empty = ask for one
    void closeClicked();

protected:
    void resizeEvent(QResizeEvent* event) override;
    bool event(QEvent* event) override;

private:
    struct Command {
        style::Button* button;
        QString name;
    };
    void fold();
    enum class Fold : std::uint8_t { None, Target, Icons };
    int leastWidth(Fold fold) const;
    void fillProjectMenu();
    style::Button* addCommand(const QString& text, const QString& iconName, const QString& objectName);
    const style::Theme& m_theme;
    MenuButton* m_project;
    MenuButton* m_target;
    style::Button* m_run = nullptr;
    style::Button* m_stop = nullptr;
    style::Button* m_resume = nullptr;
    QWidget* m_search = nullptr;
    std::vector<ProjectLine> m_recent;
    std::vector<Command> m_commands;
    Fold m_folded = Fold::None;
};

}  // namespace lockstep::shell
