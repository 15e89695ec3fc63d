// The command line of lockstep-studio.
#pragma once

#include <QString>
#include <QStringList>

#include <optional>

namespace lockstep::studio {

struct Options {
    QString project;                // absolute folder; empty = the nearest project above, else none
    QString page;                   // id of the page in front; empty = as it was left
    QString screenshots;            // folder: write a picture of every page in both themes, then end
    std::optional<QString> answer;  // --help, --version: print this and end
    QString problem;                // usage error, one sentence; empty = none
};

Options parseOptions(const QStringList& arguments);

}  // namespace lockstep::studio
