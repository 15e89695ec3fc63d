#include "screenshots.h"

#include <QApplication>
#include <QTextStream>

#include <cstdio>
#include <cstdlib>

namespace {

constexpr int kUsage = 2;

// Without a display Qt would abort. What needs no window (pictures, --help, --version) is drawn or said without one; false: a window
// is wanted and can't be.
bool choosePlatform(int argc, char** argv) {
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
        if (!qEnvironmentVariableIsEmpty(name)) return true;
    const QList<QByteArray> windowless{"--screenshot", "--help", "--help-all", "--version", "-h", "-?", "-v"};
    for (int i = 1; i < argc; ++i)
        if (windowless.contains(QByteArray(argv[i]).split('=').front())) {
            qputenv("QT_QPA_PLATFORM", "offscreen");
            return true;
        }
    return false;
}

// Qt ends the program when it can't reach the display, with advice to install Qt again.
void sayWhyThereIsNoWindow(QtMsgType type, const QMessageLogContext& context, const QString& message) {
    if (type == QtFatalMsg && message.contains(QLatin1String("platform plugin"))) {
        const auto display = qEnvironmentVariable(qEnvironmentVariableIsEmpty("DISPLAY") ? "WAYLAND_DISPLAY" : "DISPLAY");
        const auto error = lockstep::makeError("P803", {{"display", display.toStdString()}});
        std::fprintf(stderr, "error %s\n", error.toText().c_str());
        std::_Exit(error.exitCode);
    }
    const bool noise = message.contains(QLatin1String("platform plugin")) || message.contains(QLatin1String("propagateSizeHints")) ||
                       message.contains(QLatin1String("could not connect to display"));
    if (!noise) std::fprintf(stderr, "%s\n", qPrintable(qFormatLogMessage(type, context, message)));
    if (type == QtFatalMsg) std::abort();
}

}  // namespace

int main(int argc, char** argv) {
    using namespace lockstep;
    if (!choosePlatform(argc, argv)) {
        const auto error = makeError("P802");
        std::fprintf(stderr, "error %s\n", error.toText().c_str());
        return error.exitCode;
    }
    qInstallMessageHandler(sayWhyThereIsNoWindow);
    QApplication application(argc, argv);
    QCoreApplication::setApplicationName(QStringLiteral("lockstep-studio"));
    QGuiApplication::setApplicationDisplayName(QStringLiteral("Lockstep"));
    QGuiApplication::setDesktopFileName(QStringLiteral("io.github.lockstep.Studio"));
    QTextStream out(stdout);
    QTextStream complaints(stderr);
    const auto options = studio::parseOptions(QCoreApplication::arguments());
    if (options.answer) {
        out << *options.answer;
        return 0;
    }
    if (!options.problem.isEmpty()) {
        complaints << options.problem << "\nTry: lockstep-studio --help\n";
        return kUsage;
    }
    auto tokens = style::embeddedTokens();
    if (!tokens.tokens) {
        complaints << tokens.error << '\n';
        return 1;
    }
    studio::Studio program(application, std::move(*tokens.tokens));
    const auto problem = program.begin(options);
    if (!options.page.isEmpty() && !program.project().window().pageIds().contains(options.page)) {
        complaints << "There is no page \"" << options.page
                   << "\"; the pages are: " << program.project().window().pageIds().join(QStringLiteral(", ")) << ".\n";
        return kUsage;
    }
    if (options.screenshots.isEmpty()) return QApplication::exec();
    if (problem) {
        complaints << "error " << QString::fromStdString(problem->toText()) << '\n';
        return problem->exitCode;
    }
    const auto files = studio::writeScreenshots(program, options.screenshots.toStdString());
    if (!files.ok()) {
        complaints << "error " << QString::fromStdString(files.error().toText()) << '\n';
        return files.error().exitCode;
    }
    for (const auto& file : *files) out << QString::fromStdString(file.string()) << '\n';
    return 0;
}
