#include "top_bar.h"

#include "menu_button.h"
#include "search_button.h"

#include <style/controls.h>

#include <text/format.h>

#include <QDir>
#include <QEvent>
#include <QHBoxLayout>
#include <QMenu>

#include <algorithm>

namespace lockstep::shell {

using style::Role;

namespace {

constexpr std::size_t kMostRecent = 8;
constexpr int kCommandGap = 24;

QString withShortcut(const QString& text, const QString& shortcut) { return QStringLiteral("%1 (%2)").arg(text, shortcut); }

}  // namespace

TopBar::TopBar(const style::Theme& theme, QWidget* parent)
    : QFrame(parent),
      m_theme(theme),
      m_project(new MenuButton(theme, MenuButton::Edge::None, this)),
      m_target(new MenuButton(theme, MenuButton::Edge::Line, this)) {
    setProperty("bar", true);
    const auto grow = [this] {
        setMinimumHeight(m_theme.heightFor(style::TextStyle::Body, style::layout::kTopBar) - style::edge::kWidth);
        m_target->setMaximumWidth(static_cast<int>(style::layout::kTargetBox * m_theme.textScale()));
        fold();
    };
    connect(&theme, &style::Theme::changed, this, grow);
    m_project->setObjectName(QStringLiteral("shell.topBar.project"));
    m_target->setObjectName(QStringLiteral("shell.topBar.target"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(4, 0, style::space::kL, 0);
    row->setSpacing(style::space::kXs);
    row->addWidget(m_project);
    row->addSpacing(style::space::kXs);
    row->addWidget(m_target);
    row->addSpacing(kCommandGap - style::space::kXs);
    m_run = addCommand(tr("Run"), QStringLiteral("play"), QStringLiteral("shell.topBar.run"));
    m_stop = addCommand(tr("Stop"), QStringLiteral("stop"), QStringLiteral("shell.topBar.stop"));
    m_resume = addCommand(tr("Resume"), QStringLiteral("resume"), QStringLiteral("shell.topBar.resume"));
    for (QWidget* button : std::initializer_list<QWidget*>{m_run, m_stop, m_resume}) row->addWidget(button);
    row->addStretch(1);
    auto* search = new SearchButton(theme, tr("Find page, run, action"), QStringLiteral("Ctrl K"), this);
    search->setObjectName(QStringLiteral("shell.topBar.search"));
    m_search = search;
    row->addWidget(search);
    connect(m_run, &QPushButton::clicked, this, &TopBar::runClicked);
    connect(m_stop, &QPushButton::clicked, this, &TopBar::stopClicked);
    connect(m_resume, &QPushButton::clicked, this, &TopBar::resumeClicked);
    connect(search, &QAbstractButton::clicked, this, &TopBar::searchClicked);
    grow();
    setProject({});
    setTarget({tr("This computer"), {}, QStringLiteral("computer")});
    setControls({});
}

int TopBar::leastWidth(Fold fold) const {
    const QMargins margins = layout()->contentsMargins();
    int width = margins.left() + margins.right() + kCommandGap + 6 * style::space::kXs;
    width += std::max(m_project->minimumWidth(), std::min(m_project->minimumSizeHint().width(), m_project->maximumWidth()));
    width += fold == Fold::None ? m_target->maximumWidth() : std::min(m_target->minimumSizeHint().width(), m_target->maximumWidth());
    width += m_search->minimumSizeHint().width();
    for (const Command& command : m_commands) width += command.button->widthWithText(fold == Fold::Icons ? QString() : command.name);
    return width;
}

QSize TopBar::minimumSizeHint() const { return {leastWidth(Fold::Icons), QFrame::minimumSizeHint().height()}; }

// Without room the target gives way, then the words of the commands to their icons; the tool tips have them.
void TopBar::fold() {
    if (m_commands.empty()) return;
    Fold wanted = Fold::Icons;
    for (const Fold least : {Fold::Target, Fold::None})
        if (width() >= leastWidth(least)) wanted = least;
    m_target->setMinimumWidth(wanted == Fold::None ? m_target->maximumWidth() : 0);
    if ((wanted == Fold::Icons) == (m_folded == Fold::Icons)) {
        m_folded = wanted;
        return;
    }
    m_folded = wanted;
    for (const Command& command : m_commands) command.button->setText(wanted == Fold::Icons ? QString() : command.name);
}

void TopBar::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    fold();
}

bool TopBar::event(QEvent* event) {
    if (event->type() == QEvent::LayoutRequest) fold();
    return QFrame::event(event);
}

style::Button* TopBar::addCommand(const QString& text, const QString& iconName, const QString& objectName) {
    auto* button = new style::Button(m_theme, style::ButtonKind::Plain, text, iconName, style::ControlSize::Normal, this);
    button->setObjectName(objectName);
    m_commands.push_back({button, text});
    return button;
}

void TopBar::setProject(const ProjectLine& project) {
    const bool open = !project.name.isEmpty();
    m_project->setTexts(QStringLiteral("project"), Role::Accent, open ? project.name : tr("No project"), {});
    m_project->setStrong(open);
    m_project->setToolTip(open ? QDir::toNativeSeparators(project.folder) : tr("Make or open a project"));
    m_project->setAccessibleName(open ? tr("Project %1").arg(project.name) : tr("No project"));
    fillProjectMenu();
}

void TopBar::setRecentProjects(const std::vector<ProjectLine>& projects) {
    m_recent = projects;
    fillProjectMenu();
}

void TopBar::fillProjectMenu() {
    QMenu* menu = m_project->menu();
    menu->clear();
    menu->addAction(style::icon(m_theme, QStringLiteral("plus")), tr("New project…"), this, &TopBar::newProjectClicked);
    menu->addAction(style::icon(m_theme, QStringLiteral("folder")), tr("Open project…"), this, [this] { emit openProjectClicked({}); });
    if (!m_recent.empty()) menu->addSeparator();
    for (std::size_t i = 0; i < std::min(m_recent.size(), kMostRecent); ++i) {
        const ProjectLine project = m_recent[i];
        QAction* action = menu->addAction(text::withoutMnemonic(project.name));
        action->setToolTip(QDir::toNativeSeparators(project.folder));
        connect(action, &QAction::triggered, this, [this, project] { emit openProjectClicked(project.folder); });
    }
    menu->setToolTipsVisible(true);
    menu->addSeparator();
    menu->addAction(tr("Close window"), this, &TopBar::closeClicked);
}

void TopBar::setTarget(const TargetLine& target) {
    m_target->setTexts(target.iconName, Role::MutedText, target.name, target.detail);
    m_target->setAccessibleName(tr("Target: %1").arg(target.name));
    QMenu* menu = m_target->menu();
    menu->clear();
    QAction* only = menu->addAction(style::icon(m_theme, target.iconName), text::withoutMnemonic(target.name));
    only->setCheckable(true);
    only->setChecked(true);
}

void TopBar::setControls(const RunControls& controls) {
    const auto set = [](style::Button* button, bool on, const QString& shortcut, const QString& why) {
        button->setEnabled(on);
        button->setToolTip(on || why.isEmpty() ? withShortcut(button->accessibleName(), shortcut) : why);
    };
    set(m_run, controls.run, QStringLiteral("F5"), controls.whyNotRun);
    set(m_stop, controls.stop, QStringLiteral("Shift+F5"), controls.whyNotStop);
    set(m_resume, controls.resume, QStringLiteral("Ctrl+F5"), controls.whyNotResume);
}

void TopBar::setProjectWidth(int width, bool most) {
    m_project->setMinimumWidth(most ? 0 : width - 4);
    m_project->setMaximumWidth(width - 4);
    fold();
}

}  // namespace lockstep::shell
