#include "options.h"

#include <QCommandLineParser>
#include <QDir>

namespace lockstep::studio {

Options parseOptions(const QStringList& arguments) {
    QCommandLineParser parser;
    parser.setApplicationDescription(
        QStringLiteral("Lockstep's window: watch runs live, start and stop them. Closing it never touches a run."));
    const auto help = parser.addHelpOption();
    const auto version = parser.addVersionOption();
    const QCommandLineOption screenshot(
        QStringLiteral("screenshot"), QStringLiteral("Write every page as PNG, light and dark, into DIR and end."), QStringLiteral("DIR"));
    const QCommandLineOption page(QStringLiteral("page"), QStringLiteral("Open on this page: overview, live, logs, preferences."),
                                  QStringLiteral("ID"));
    parser.addOption(screenshot);
    parser.addOption(page);
    parser.addPositionalArgument(QStringLiteral("PROJECT"), QStringLiteral("Project folder (default: the nearest one above)."),
                                 QStringLiteral("[PROJECT]"));
    Options options;
    if (!parser.parse(arguments))
        options.problem = parser.errorText();
    else if (parser.positionalArguments().size() > 1)
        options.problem = QStringLiteral("More than one PROJECT is given.");
    else if (parser.isSet(help))
        options.answer = parser.helpText();
    else if (parser.isSet(version))
        options.answer = QStringLiteral("lockstep-studio " LOCKSTEP_VERSION "\n");
    if (!parser.positionalArguments().isEmpty()) options.project = QDir(parser.positionalArguments().front()).absolutePath();
    options.page = parser.value(page);
    options.screenshots = parser.value(screenshot);
    return options;
}

}  // namespace lockstep::studio
