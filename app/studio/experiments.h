// The specifications that can be run in a project: those of its folder experiments/, then the presets that come with Lockstep, each with
// a line about what it is. Read in the background.
//
// Threads: GUI thread only. Commands must outlive it.
#pragma once

#include <bridge/command_runner.h>
#include <pages/overview_page.h>

#include <QObject>
#include <QString>

#include <filesystem>
#include <vector>

namespace lockstep::studio {

class Experiments : public QObject {
    Q_OBJECT
public:
    Experiments(bridge::CommandRunner& commands, std::filesystem::path project, QObject* parent = nullptr);

    // Reads them anew; changed() follows when they differ.
    void refresh();
    // As of the last reading; the project's first.
    const std::vector<pages::Experiment>& all() const { return m_all; }

signals:
    void changed();

private:
    void take(const std::vector<bridge::SpecLine>& lines);
    bridge::CommandRunner& m_commands;
    const std::filesystem::path m_project;
    std::vector<pages::Experiment> m_all;
};

}  // namespace lockstep::studio
