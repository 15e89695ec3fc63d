#include "banner.h"
#include "bottom_bar.h"
#include "issue_pane.h"
#include "locator.h"
#include "page_bar.h"
#include "right_dock.h"
#include "task_pane.h"
#include "top_bar.h"

#include <shell/main_window.h>
#include <style/controls.h>

#include <QCloseEvent>
#include <QHBoxLayout>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace lockstep::shell {
namespace {

constexpr int kFirstWidth = 1440, kFirstHeight = 900;

QHBoxLayout* tightRow() {
    auto* row = new QHBoxLayout;
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    return row;
}

}  // namespace

MainWindow::MainWindow(const style::Theme& theme, const PageRegistry& registry, QWidget* parent) : QMainWindow(parent), m_theme(theme) {
    setObjectName(QStringLiteral("shell.window"));
    setWindowTitle(QStringLiteral("Lockstep"));
    buildFrame(registry);
    buildPanes();
    m_locator = new Locator(theme, this);
    connectParts();
    addShortcuts();
    resize(kFirstWidth, kFirstHeight);
    updateWidths();
    if (!m_pages.empty()) showPage(m_pages.front()->id());
}

MainWindow::~MainWindow() = default;

// Children are made in the order in which Tab goes: top, left, page, dock, pane, bottom.
void MainWindow::buildFrame(const PageRegistry& registry) {
    auto* centre = new QWidget(this);
    setCentralWidget(centre);
    auto* column = new QVBoxLayout(centre);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_topBar = new TopBar(m_theme, centre);
    column->addWidget(m_topBar);
    column->addWidget(new style::Divider(Qt::Horizontal, style::Divider::Weight::Edge, centre));
    m_banner = new Banner(m_theme, centre);
    column->addWidget(m_banner);
    auto* row = tightRow();
    column->addLayout(row, 1);
    m_pageBar = new PageBar(m_theme, centre);
    row->addWidget(m_pageBar);
    row->addWidget(new style::Divider(Qt::Vertical, style::Divider::Weight::Edge, centre));
    m_down = new QSplitter(Qt::Vertical, centre);
    m_across = new QSplitter(Qt::Horizontal, m_down);
    m_stack = new QStackedWidget(m_across);
    for (const PageEntry& entry : registry.entries()) addPage(entry);
    m_pageBar->tabAfter(m_topBar->lastControl());
    m_dock = new RightDock(m_theme, m_across);
    m_across->installEventFilter(this);
    m_dock->installEventFilter(this);
    m_paneStack = new QStackedWidget(m_down);
    row->addWidget(m_down, 1);
    for (QSplitter* splitter : {m_across, m_down}) {
        splitter->setChildrenCollapsible(false);
        splitter->setStretchFactor(0, 1);
        splitter->setStretchFactor(1, 0);
    }
    m_paneStack->hide();
    m_bottomBar = new BottomBar(m_theme, this);
    setStatusBar(m_bottomBar);
}

void MainWindow::addPage(const PageEntry& entry) {
    pages::Page* page = entry.factory(m_stack);
    if (page->objectName().isEmpty()) page->setObjectName(page->id());
    page->setAccessibleName(page->title());
    m_stack->addWidget(page);
    m_pages.push_back(page);
    m_pageBar->addPage(entry.group, *page);
    connect(page, &pages::Page::issueRaised, this, [this](const QString& code, const QString& sentence, const QString& next) {
        addIssue({Severity::Error, code, sentence, next});
    });
}

void MainWindow::buildPanes() {
    auto* issues = new IssuePane(m_theme, m_issues, m_paneStack);
    m_taskPane = new TaskPane(m_theme, m_paneStack);
    m_panes = {issues, m_taskPane};
    const QString titles[] = {tr("Issues"), tr("Tasks")};
    for (std::size_t i = 0; i < m_panes.size(); ++i) {
        m_paneStack->addWidget(m_panes[i]);
        m_bottomBar->addPane(m_panes[i]->id(), titles[i], QStringLiteral("Alt+%1").arg(i + 1));
        connect(m_panes[i], &Pane::closeClicked, this, [this] { showPane({}); });
    }
}

void MainWindow::connectParts() {
    connect(m_topBar, &TopBar::runClicked, this, &MainWindow::runRequested);
    connect(m_topBar, &TopBar::stopClicked, this, &MainWindow::stopRequested);
    connect(m_topBar, &TopBar::resumeClicked, this, &MainWindow::resumeRequested);
    connect(m_topBar, &TopBar::searchClicked, this, &MainWindow::openLocator);
    connect(m_topBar, &TopBar::newProjectClicked, this, &MainWindow::newProjectRequested);
    connect(m_topBar, &TopBar::openProjectClicked, this, &MainWindow::openProjectRequested);
    connect(m_topBar, &TopBar::closeClicked, this, &QWidget::close);
    connect(m_pageBar, &PageBar::pageChosen, this, &MainWindow::showPage);
    connect(m_dock, &RightDock::closeClicked, this, &MainWindow::toggleDock);
    connect(m_bottomBar, &BottomBar::dockClicked, this, &MainWindow::toggleDock);
    connect(m_bottomBar, &BottomBar::paneToggled, this, &MainWindow::togglePane);
    connect(m_taskPane, &TaskPane::cancelClicked, this, &MainWindow::cancelTaskRequested);
    connect(m_locator, &Locator::chosen, this, &MainWindow::locatorChosen);
    connect(&m_theme, &style::Theme::changed, this, &MainWindow::updateWidths);
    connect(&m_issues, &QAbstractItemModel::rowsInserted, this, &MainWindow::updateIssueCounter);
    connect(&m_issues, &QAbstractItemModel::modelReset, this, &MainWindow::updateIssueCounter);
}

void MainWindow::setProject(const ProjectLine& project) {
    const bool other = project.folder != m_project.folder;
    // Whether the old layout could be kept is no reason to stay in the old project.
    if (other && isVisible()) (void)saveLayout().ok();
    m_project = project;
    m_topBar->setProject(project);
    setWindowTitle(project.name.isEmpty() ? QStringLiteral("Lockstep") : QStringLiteral("%1 – Lockstep").arg(project.name));
    if (other) restoreLayout();
}

void MainWindow::setRecentProjects(const std::vector<ProjectLine>& projects) { m_topBar->setRecentProjects(projects); }

void MainWindow::setTarget(const TargetLine& target) { m_topBar->setTarget(target); }

void MainWindow::setRunControls(const RunControls& controls) {
    m_controls = controls;
    m_topBar->setControls(controls);
}

void MainWindow::setFacts(const Facts& facts) { m_bottomBar->setFacts(facts); }

void MainWindow::setRuns(std::vector<LocatorItem> runs) { m_runs = std::move(runs); }

void MainWindow::setTasks(const std::vector<Task>& tasks) {
    m_taskPane->setTasks(tasks);
    m_bottomBar->setCounter(m_taskPane->id(), m_taskPane->running(), style::Tone::Neutral);
}

// Paths inside of the project are shown as they are there; the tool tip and the clipboard have them whole.
void MainWindow::addIssue(const Issue& issue) {
    Issue shown = issue;
    const QString inside = m_project.folder + QLatin1Char('/');
    if (!m_project.folder.isEmpty() && (issue.sentence.contains(inside) || issue.next.contains(inside))) {
        shown.whole = issue.sentence + QLatin1Char(' ') + issue.next;
        shown.sentence.remove(inside);
        shown.next.remove(inside);
    }
    m_issues.add(shown);
}

void MainWindow::clearIssues() { m_issues.clear(); }

void MainWindow::setBanner(const std::optional<Issue>& issue) {
    if (issue)
        m_banner->show(*issue);
    else
        m_banner->hide();
}

void MainWindow::updateIssueCounter() {
    const bool errors = m_issues.count(Severity::Error) > 0, warnings = m_issues.count(Severity::Warning) > 0;
    m_bottomBar->setCounter(QStringLiteral("issues"), m_issues.rowCount(),
                            errors     ? style::Tone::Bad
                            : warnings ? style::Tone::Warning
                                       : style::Tone::Neutral);
}

void MainWindow::setPageBadge(const QString& pageId, int count, style::Tone tone) { m_pageBar->setBadge(pageId, count, tone); }

QStringList MainWindow::pageIds() const { return m_pageBar->ids(); }

pages::Page* MainWindow::page(const QString& id) const {
    const auto found = std::find_if(m_pages.begin(), m_pages.end(), [&](const pages::Page* page) { return page->id() == id; });
    return found == m_pages.end() ? nullptr : *found;
}

pages::Page* MainWindow::currentPage() const { return m_front; }

void MainWindow::showPage(const QString& id) {
    pages::Page* next = page(id);
    if (next == nullptr) return;
    m_pageBar->setCurrent(id);
    if (next == m_front) return;
    if (m_front != nullptr) m_front->deactivated();
    m_front = next;
    m_stack->setCurrentWidget(next);
    m_dock->setContent(next->dock());
    updateDock();
    next->activated();
    emit pageShown(id);
}

void MainWindow::showPane(const QString& id) {
    const auto found = std::find_if(m_panes.begin(), m_panes.end(), [&](const Pane* pane) { return pane->id() == id; });
    const bool opens = found != m_panes.end();
    if (opens) {
        m_paneStack->setCurrentWidget(*found);
        if (m_paneStack->isHidden()) {
            m_paneStack->show();
            const int high = style::layout::kBottomPane;
            m_down->setSizes({std::max(1, m_down->height() - high), high});
        }
    } else {
        m_paneStack->hide();
    }
    m_bottomBar->setOpenPane(opens ? id : QString());
}

QString MainWindow::openPane() const {
    return m_paneStack->isHidden() ? QString() : static_cast<const Pane*>(m_paneStack->currentWidget())->id();
}

void MainWindow::togglePane(const QString& id) { showPane(openPane() == id ? QString() : id); }

bool MainWindow::isNarrow() const { return roomForText() < style::layout::kDockToggleBelow; }

void MainWindow::toggleDock() {
    DockWish& wish = isNarrow() ? m_narrowDockWish : m_dockWish;
    wish = wish == DockWish::Open ? DockWish::Closed : DockWish::Open;
    updateDock();
}

// In a narrow window the dock lies over the page, which keeps its width.
void MainWindow::updateDock() {
    const bool narrow = isNarrow();
    const DockWish wish = narrow ? m_narrowDockWish : m_dockWish;
    const bool there = m_dock->content() != nullptr;
    if (narrow != m_dock->isOverlay()) {
        m_dock->setOverlay(narrow);
        if (narrow)
            m_dock->setParent(centralWidget());
        else
            m_across->addWidget(m_dock);
    }
    m_dock->setVisible(there && wish == DockWish::Open);
    if (narrow) placeOverlay();
    m_bottomBar->setDockButton(there && wish == DockWish::Closed ? m_dock->content()->windowTitle() : QString());
}

void MainWindow::placeOverlay() {
    const QRect pages(m_across->mapTo(centralWidget(), QPoint()), m_across->size());
    const int width = std::min(m_dock->minimumSizeHint().width(), pages.width());
    m_dock->setGeometry(pages.right() + 1 - width, pages.top(), width, pages.height());
    m_dock->raise();
}

bool MainWindow::eventFilter(QObject* watched, QEvent* event) {
    const bool moved = event->type() == QEvent::Resize || event->type() == QEvent::Move;
    if (watched == m_across && moved && m_dock != nullptr && m_dock->isOverlay()) placeOverlay();
    if (watched == m_dock && event->type() == QEvent::LayoutRequest && m_dock->isOverlay()) placeOverlay();
    return QMainWindow::eventFilter(watched, event);
}

// The width as it would be at 100 %: larger text leaves as much room as a narrower window.
int MainWindow::roomForText() const { return static_cast<int>(width() / m_theme.textScale()); }

void MainWindow::updateWidths() {
    const bool collapsed = roomForText() < style::layout::kCollapseBelow || m_pageBarWish == PageBarWish::Collapsed;
    m_pageBar->setWidth(NavButton::Width::Wide);
    const int wide = m_pageBar->wantedWidth();
    if (collapsed) m_pageBar->setWidth(NavButton::Width::Collapsed);
    m_topBar->setProjectWidth(wide, collapsed);
    updateDock();
}

void MainWindow::resizeEvent(QResizeEvent* event) {
    QMainWindow::resizeEvent(event);
    if (m_locator != nullptr) m_locator->hide();
    if (m_bottomBar != nullptr) updateWidths();
}

void MainWindow::closeEvent(QCloseEvent* event) {
    // A layout that can't be kept is no reason to keep the window open.
    (void)saveLayout().ok();
    event->accept();
}

}  // namespace lockstep::shell
