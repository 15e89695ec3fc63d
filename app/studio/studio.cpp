#include "studio.h"

#include <base/paths.h>
#include <workbench/workbench.h>

#include <QApplication>
#include <QFileDialog>
#include <QLocale>
#include <QStandardPaths>

namespace lockstep::studio {
namespace {

// The program that controllers are started from stands beside this one.
std::filesystem::path runnerProgram() { return programFile().parent_path() / "lockstep"; }

// A project file names its folder.
std::filesystem::path projectOf(const std::filesystem::path& path) {
    std::error_code status;
    return path.filename() == "lockstep.project" && std::filesystem::is_regular_file(path, status) ? path.parent_path() : path;
}

}  // namespace

std::filesystem::path sampleFolder() {
    return std::filesystem::path(QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation).toStdString()) / "lockstep" /
           "sample";
}

Studio::Studio(QApplication& application, style::Tokens tokens)
    : m_application(application),
      m_theme(std::move(tokens)),
      m_catalog(workbench::makeProjectCatalog({.program = runnerProgram(), .state = {}})) {
    auto preferences = readPreferences(preferencesFile());
    if (preferences.ok())
        m_preferences = *preferences;
    else
        m_preferencesProblem = preferences.error();
    chooseLanguage(m_preferences.language);
    m_theme.apply(application);
    m_theme.setMode(m_preferences.mode);
    m_theme.setTextScale(m_preferences.textScale);
}

Studio::~Studio() {
    if (m_project) (void)m_project->window().saveLayout();
}

std::optional<Error> Studio::begin(const Options& options) {
    std::error_code status;
    const auto folder = options.project.isEmpty() ? workbench::findProject(std::filesystem::current_path(status))
                                                  : std::filesystem::path(options.project.toStdString());
    auto opened = m_catalog->open(projectOf(folder));
    std::optional<Error> problem;
    if (opened.ok())
        use(std::move(*opened));
    else {
        use(workbench::makeWorkbench({.project = {}, .program = runnerProgram(), .libraries = {}}));
        if (!options.project.isEmpty()) problem = opened.error();
    }
    if (!options.page.isEmpty()) m_project->window().showPage(options.page);
    for (const auto& error : {problem, m_preferencesProblem})
        if (error) m_project->report(*error);
    return problem;
}

void Studio::use(std::unique_ptr<api::Workbench> workbench) {
    const auto before = std::move(m_project);
    if (before) (void)before->window().saveLayout();
    m_project = std::make_unique<ProjectWindow>(m_theme, std::move(workbench));
    auto& project = *m_project;
    connect(&project, &ProjectWindow::trySample, this, &Studio::trySample, Qt::QueuedConnection);
    connect(&project, &ProjectWindow::newProject, this, &Studio::askForNew, Qt::QueuedConnection);
    connect(&project, &ProjectWindow::openProject, this, &Studio::askToOpen, Qt::QueuedConnection);
    wirePreferences();
    project.setRecentProjects(m_catalog->recent());
    if (!before) project.window().resize(1440, 900);
    project.window().restoreLayout();
    if (before && project.window().layoutNow().geometry.isNull()) project.window().setGeometry(before->window().geometry());
    project.window().show();
    if (const auto& problem = m_catalog->problem()) project.report(*problem);
}

Result<void> Studio::open(const std::filesystem::path& folder) {
    LS_TRY_ASSIGN(auto workbench, m_catalog->open(projectOf(folder)));
    use(std::move(workbench));
    return {};
}

void Studio::askToOpen(const QString& folder) {
    const auto chosen = folder.isEmpty() ? QFileDialog::getExistingDirectory(&m_project->window(), tr("Open a project folder")) : folder;
    if (chosen.isEmpty()) return;
    if (const auto opened = open(chosen.toStdString()); !opened.ok()) m_project->report(opened.error());
}

void Studio::askForNew() {
    const auto chosen = QFileDialog::getSaveFileName(&m_project->window(), tr("New project: name its folder"), {}, {}, nullptr,
                                                     QFileDialog::ShowDirsOnly | QFileDialog::DontConfirmOverwrite);
    if (chosen.isEmpty()) return;
    const std::filesystem::path folder(chosen.toStdString());
    auto created = m_catalog->create(folder, folder.filename().string());
    if (!created.ok()) return m_project->report(created.error());
    use(std::move(*created));
}

void Studio::trySample() {
    m_project->overview().setSampleStarting(true);
    auto created = m_catalog->create(sampleFolder(), "sample");
    if (!created.ok()) {
        m_project->overview().setSampleStarting(false);
        return m_project->report(created.error());
    }
    use(std::move(*created));
    // On one processor the two devices of the preset share it; anywhere else the key changes nothing.
    m_project->start({resourcesFolder() / "presets" / "mnist-mirrored.yaml", {}, {"cluster.oversubscribe=true", "name=sample"}});
}

void Studio::wirePreferences() {
    auto& page = m_project->preferences();
    page.setChosen(m_preferences.mode, m_preferences.textScale, m_preferences.language);
    connect(&page, &pages::PreferencesPage::modeChosen, this, [this](style::Mode mode) {
        m_preferences.mode = mode;
        m_theme.setMode(mode);
        keepPreferences();
    });
    connect(&page, &pages::PreferencesPage::textScaleChosen, this, [this](double scale) {
        m_preferences.textScale = scale;
        m_theme.setTextScale(scale);
        keepPreferences();
    });
    connect(
        &page, &pages::PreferencesPage::languageChosen, this,
        [this](const QString& language) {
            m_preferences.language = language;
            chooseLanguage(language);
            keepPreferences();
            // Texts are made with the widgets, so the window is made anew, in its place, with its run and on this page.
            const auto run = m_project->live().run();
            if (m_project->workbench().project().name.empty())
                use(workbench::makeWorkbench({.project = {}, .program = runnerProgram(), .libraries = {}}));
            else if (const auto again = open(m_project->workbench().project().folder); !again.ok())
                m_project->report(again.error());
            if (run && !m_project->live().run()) m_project->live().showRun(*run);
            m_project->window().showPage(QStringLiteral("preferences"));
        },
        Qt::QueuedConnection);
}

void Studio::keepPreferences() {
    if (const auto kept = writePreferences(preferencesFile(), m_preferences); !kept.ok()) m_project->report(kept.error());
}

// English needs its file too: it holds the plurals.
void Studio::chooseLanguage(const QString& language) {
    const QLocale locale = language.isEmpty() ? QLocale::system() : QLocale(language);
    QLocale::setDefault(locale);
    QCoreApplication::removeTranslator(&m_translator);
    const auto folder = QStringLiteral(":/lockstep/translations");
    if (m_translator.load(locale, QStringLiteral("studio"), QStringLiteral("_"), folder) ||
        m_translator.load(QStringLiteral("studio_en"), folder))
        QCoreApplication::installTranslator(&m_translator);
}

}  // namespace lockstep::studio
