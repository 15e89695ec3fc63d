// The window's keys, what the locator finds, and the layout it keeps.
#include "locator.h"
#include "page_bar.h"
#include "right_dock.h"
#include "top_bar.h"

#include <shell/main_window.h>

#include <QAction>
#include <QGuiApplication>
#include <QScreen>
#include <QShortcut>
#include <QSplitter>
#include <QStackedWidget>

#include <algorithm>
#include <array>

namespace lockstep::shell {
namespace {

struct OwnAction {
    const char* id;
    const char* title;
    const char* icon;
    const char* keys;
};

constexpr std::array<OwnAction, 9> kActions{{
    {"run", QT_TRANSLATE_NOOP("lockstep::shell::MainWindow", "Run"), "play", "F5"},
    {"stop", QT_TRANSLATE_NOOP("lockstep::shell::MainWindow", "Stop the run"), "stop", "Shift+F5"},
    {"resume", QT_TRANSLATE_NOOP("lockstep::shell::MainWindow", "Resume the run"), "resume", "Ctrl+F5"},
    {"new-project", QT_TRANSLATE_NOOP("lockstep::shell::MainWindow", "New project…"), "plus", ""},
    {"open-project", QT_TRANSLATE_NOOP("lockstep::shell::MainWindow", "Open project…"), "folder", "Ctrl+O"},
    {"page-bar", QT_TRANSLATE_NOOP("lockstep::shell::MainWindow", "Collapse or widen the page bar"), "overview", "Ctrl+B"},
    {"dock", QT_TRANSLATE_NOOP("lockstep::shell::MainWindow", "Show or hide the right dock"), "values", "F4"},
    {"full-screen", QT_TRANSLATE_NOOP("lockstep::shell::MainWindow", "Full screen"), "fit", "F11"},
    {"close", QT_TRANSLATE_NOOP("lockstep::shell::MainWindow", "Close window"), "close", "Ctrl+W"},
}};

constexpr int kNumberKeys = 10;

}  // namespace

void MainWindow::addShortcut(const QKeySequence& keys, const std::function<void()>& action) {
    auto* shortcut = new QShortcut(keys, this);
    shortcut->setAutoRepeat(false);  // a key that is held starts one run
    connect(shortcut, &QShortcut::activated, this, action);
}

void MainWindow::addShortcuts() {
    for (const OwnAction& action : kActions) {
        if (action.keys[0] == '\0') continue;
        const LocatorItem item{LocatorKind::Action, QString::fromLatin1(action.id), {}, {}, {}};
        addShortcut(QKeySequence(QLatin1String(action.keys)), [this, item] { locatorChosen(item); });
    }
    addShortcut(QKeySequence(QStringLiteral("Ctrl+K")), [this] { openLocator(); });
    addShortcut(QKeySequence(QStringLiteral("Ctrl+,")), [this] { showPage(QStringLiteral("preferences")); });
    const QStringList ids = m_pageBar->ids();
    for (int i = 0; i < std::min<int>(kNumberKeys, static_cast<int>(ids.size())); ++i)
        addShortcut(QKeySequence(QStringLiteral("Ctrl+%1").arg((i + 1) % kNumberKeys)), [this, id = ids[i]] { showPage(id); });
    const QString panes[] = {QStringLiteral("issues"), QStringLiteral("tasks")};
    for (int i = 0; i < 2; ++i) addShortcut(QKeySequence(QStringLiteral("Alt+%1").arg(i + 1)), [this, id = panes[i]] { togglePane(id); });
}

void MainWindow::openLocator() {
    const QPoint under = m_topBar->mapTo(this, QPoint(m_topBar->width() - style::space::kL, m_topBar->height() + style::space::kXs));
    m_locator->open(everythingToFind(), under.x(), under.y());
}

std::vector<LocatorItem> MainWindow::everythingToFind() {
    std::vector<LocatorItem> items;
    for (const QString& id : m_pageBar->ids()) {
        const pages::Page* found = page(id);
        items.push_back({LocatorKind::Page, id, found->title(), {}, found->iconName()});
    }
    items.insert(items.end(), m_runs.begin(), m_runs.end());
    for (const OwnAction& action : kActions) {
        const QString id = QString::fromLatin1(action.id);
        const bool off = (id == QLatin1String("run") && !m_controls.run) || (id == QLatin1String("stop") && !m_controls.stop) ||
                         (id == QLatin1String("resume") && !m_controls.resume) ||
                         (id == QLatin1String("dock") && m_dock->content() == nullptr);
        if (!off)
            items.push_back(
                {LocatorKind::Action, id, tr(action.title), QString::fromLatin1(action.keys), QString::fromLatin1(action.icon)});
    }
    m_foundActions.clear();
    if (const pages::Page* front = currentPage()) {
        for (QAction* action : front->pageActions()) {
            if (!action->isEnabled()) continue;
            QString title = action->text();
            items.push_back({LocatorKind::Action, QStringLiteral("page-action-%1").arg(m_foundActions.size()), title.remove(u'&'),
                             action->shortcut().toString(QKeySequence::NativeText), front->iconName()});
            m_foundActions.push_back(action);
        }
    }
    return items;
}

void MainWindow::locatorChosen(const LocatorItem& item) {
    if (item.kind == LocatorKind::Page) return showPage(item.id);
    if (item.kind == LocatorKind::Run) return emit runChosen(item.id);
    for (std::size_t i = 0; i < m_foundActions.size(); ++i)
        if (item.id == QStringLiteral("page-action-%1").arg(i)) return m_foundActions[i]->trigger();
    if (item.id == QLatin1String("run") && m_controls.run) emit runRequested();
    if (item.id == QLatin1String("stop") && m_controls.stop) emit stopRequested();
    if (item.id == QLatin1String("resume") && m_controls.resume) emit resumeRequested();
    if (item.id == QLatin1String("new-project")) emit newProjectRequested();
    if (item.id == QLatin1String("open-project")) emit openProjectRequested({});
    if (item.id == QLatin1String("dock")) toggleDock();
    if (item.id == QLatin1String("full-screen")) setWindowState(windowState() ^ Qt::WindowFullScreen);
    if (item.id == QLatin1String("close")) close();
    if (item.id == QLatin1String("page-bar")) {
        m_pageBarWish = m_pageBarWish == PageBarWish::Wide ? PageBarWish::Collapsed : PageBarWish::Wide;
        updateWidths();
    }
}

WindowLayout MainWindow::layoutNow() const {
    WindowLayout layout;
    layout.geometry = isMaximized() || isFullScreen() ? normalGeometry() : geometry();
    layout.maximized = isMaximized();
    layout.page = currentPage() == nullptr ? QString() : currentPage()->id();
    layout.pageBar = m_pageBarWish;
    layout.dock = m_dockWish;
    layout.dockWidth = m_dock->isVisible() && !m_dock->isOverlay() ? m_dock->width() : 0;
    layout.pane = openPane();
    layout.paneHeight = layout.pane.isEmpty() ? 0 : m_paneStack->height();
    return layout;
}

void MainWindow::applyLayout(const WindowLayout& layout) {
    m_pageBarWish = layout.pageBar;
    m_dockWish = layout.dock;
    if (!layout.geometry.isEmpty()) {
        const QScreen* screen = QGuiApplication::screenAt(layout.geometry.center());
        if (screen == nullptr) screen = QGuiApplication::primaryScreen();
        setGeometry(screen == nullptr ? layout.geometry : fittedTo(layout.geometry, screen->availableGeometry()));
    }
    setWindowState(layout.maximized ? windowState() | Qt::WindowMaximized : windowState() & ~Qt::WindowMaximized);
    showPage(layout.page);
    updateWidths();
    showPane(layout.pane);
    if (layout.paneHeight > 0) m_down->setSizes({std::max(1, m_down->height() - layout.paneHeight), layout.paneHeight});
    if (layout.dockWidth > 0) m_across->setSizes({std::max(1, m_across->width() - layout.dockWidth), layout.dockWidth});
}

Result<void> MainWindow::saveLayout() const { return writeLayout(layoutFile(m_project.folder), layoutNow()); }

void MainWindow::restoreLayout() {
    const auto layout = readLayout(layoutFile(m_project.folder));
    if (layout.ok()) applyLayout(*layout);
}

}  // namespace lockstep::shell
