// The running window program: look, language, the project that is open, and what leads from one project to another.
#pragma once

#include "options.h"
#include "preferences.h"
#include "project_window.h"

#include <QObject>
#include <QTranslator>

#include <memory>

class QApplication;

namespace lockstep::studio {

class Studio : public QObject {
    Q_OBJECT
public:
    // Call once; the application must outlive it.
    Studio(QApplication& application, style::Tokens tokens);
    ~Studio() override;

    // Opens the project of the options, or the window without one. A folder that is no project is said in Issues and returned.
    std::optional<Error> begin(const Options& options);
    ProjectWindow& project() { return *m_project; }
    style::Theme& theme() { return m_theme; }

    // Error of ProjectCatalog::open(); the window stays as it is.
    Result<void> open(const std::filesystem::path& folder);
    // Makes the project "sample" among the person's own data and trains the preset that comes with Lockstep in it.
    void trySample();

private:
    void use(std::unique_ptr<api::Workbench> workbench);
    void wirePreferences();
    void keepPreferences();
    void chooseLanguage(const QString& language);
    void askToOpen(const QString& folder);
    void askForNew();

    QApplication& m_application;
    style::Theme m_theme;
    Preferences m_preferences;
    std::optional<Error> m_preferencesProblem;
    QTranslator m_translator;
    std::unique_ptr<api::ProjectCatalog> m_catalog;
    std::unique_ptr<ProjectWindow> m_project;
};

// Where "Try the sample" keeps its project: $XDG_DATA_HOME/lockstep/sample.
std::filesystem::path sampleFolder();

}  // namespace lockstep::studio
