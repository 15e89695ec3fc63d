// The main window: top bar, page bar, pages, right dock, bottom bar with panes, locator. It knows pages by their contract and the rest of
// the program by values and signals; it starts, stops and reads nothing itself.
//
// Closing it never asks and never touches a run: it only keeps its layout.
//
// Threads: GUI thread only. The theme must outlive it.
#pragma once

#include <shell/issue_model.h>
#include <shell/page_registry.h>
#include <shell/values.h>
#include <shell/window_layout.h>
#include <style/pill.h>
#include <style/theme.h>

#include <QMainWindow>

#include <optional>
#include <vector>

class QSplitter;
class QStackedWidget;

namespace lockstep::shell {

class Banner;
class BottomBar;
class Locator;
class PageBar;
class Pane;
class RightDock;
class TaskPane;
class TopBar;

class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    // Makes every page of the registry; the first one is in front.
    MainWindow(const style::Theme& theme, const PageRegistry& registry, QWidget* parent = nullptr);
    ~MainWindow() override;

    // Another project: its own layout is restored, that of the one before is kept.
    void setProject(const ProjectLine& project);
    void setRecentProjects(const std::vector<ProjectLine>& projects);
    void setTarget(const TargetLine& target);
    void setRunControls(const RunControls& controls);
    void setFacts(const Facts& facts);
    // Runs for the locator; pages and actions the window finds itself.
    void setRuns(std::vector<LocatorItem> runs);
    void setTasks(const std::vector<Task>& tasks);
    void addIssue(const Issue& issue);
    void clearIssues();
    // What is wrong with the project as a whole, over every page until it is taken away (nullopt).
    void setBanner(const std::optional<Issue>& issue);
    // A dot with a count beside a page's name: runs that go on, finds.
    void setPageBadge(const QString& pageId, int count, style::Tone tone);

    QStringList pageIds() const;
    pages::Page* page(const QString& id) const;
    pages::Page* currentPage() const;
    // Unknown ids are ignored: a layout may name a page that is no more.
    void showPage(const QString& id);
    // Empty closes; ids: "issues", "tasks".
    void showPane(const QString& id);
    QString openPane() const;
    void openLocator();

    // The layout of the project that is open. Errors of restoring are no matter for the person: the window then opens as designed.
    Result<void> saveLayout() const;
    void restoreLayout();
    WindowLayout layoutNow() const;
    void applyLayout(const WindowLayout& layout);

signals:
    void runRequested();
    void stopRequested();
    void resumeRequested();
    void newProjectRequested();
    void openProjectRequested(const QString& folder);  // empty = ask for one
    void runChosen(const QString& runId);              // in the locator
    void cancelTaskRequested(const QString& taskId);
    void pageShown(const QString& id);

protected:
    void closeEvent(QCloseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void buildFrame(const PageRegistry& registry);
    void addPage(const PageEntry& entry);
    void buildPanes();
    void connectParts();
    void addShortcuts();
    void addShortcut(const QKeySequence& keys, const std::function<void()>& action);
    void togglePane(const QString& id);
    void toggleDock();
    void updateWidths();
    int roomForText() const;
    bool isNarrow() const;
    void updateDock();
    void placeOverlay();
    void updateIssueCounter();
    std::vector<LocatorItem> everythingToFind();
    void locatorChosen(const LocatorItem& item);

    const style::Theme& m_theme;
    IssueModel m_issues;
    ProjectLine m_project;
    RunControls m_controls;
    std::vector<LocatorItem> m_runs;
    std::vector<QAction*> m_foundActions;  // of the locator's last opening
    std::vector<pages::Page*> m_pages;
    pages::Page* m_front = nullptr;
    std::vector<Pane*> m_panes;
    PageBarWish m_pageBarWish = PageBarWish::Wide;
    DockWish m_dockWish = DockWish::Open;          // where there is room
    DockWish m_narrowDockWish = DockWish::Closed;  // below layout::kDockToggleBelow

    TopBar* m_topBar = nullptr;
    Banner* m_banner = nullptr;
    PageBar* m_pageBar = nullptr;
    QStackedWidget* m_stack = nullptr;
    RightDock* m_dock = nullptr;
    QSplitter* m_across = nullptr;
    QSplitter* m_down = nullptr;
    QStackedWidget* m_paneStack = nullptr;
    TaskPane* m_taskPane = nullptr;
    BottomBar* m_bottomBar = nullptr;
    Locator* m_locator = nullptr;
};

}  // namespace lockstep::shell
