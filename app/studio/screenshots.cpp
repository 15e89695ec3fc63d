#include "screenshots.h"

#include <base/file.h>

#include <QCoreApplication>
#include <QDeadlineTimer>
#include <QElapsedTimer>
#include <QEvent>
#include <QPixmap>
#include <QThread>
#include <QWidget>

#include <functional>

namespace lockstep::studio {
namespace {

constexpr int kPatienceMs = 60'000;
constexpr int kSettleMs = 400;  // chips and layouts follow the values they belong to
constexpr QSize kSize(1440, 900);

bool passTime(int most, const std::function<bool()>& done) {
    QElapsedTimer clock;
    clock.start();
    while (clock.elapsed() < most) {
        QCoreApplication::processEvents(QEventLoop::AllEvents, 50);
        if (done()) return true;
        QThread::msleep(5);
    }
    return false;
}

// Without a display the pointer stands at the corner of the screen, over what then looks hovered.
void leaveEverything(QWidget& window) {
    for (auto* part : window.findChildren<QWidget*>()) {
        if (!part->testAttribute(Qt::WA_UnderMouse)) continue;
        part->setAttribute(Qt::WA_UnderMouse, false);
        QEvent leave(QEvent::Leave);
        QCoreApplication::sendEvent(part, &leave);
    }
}

}  // namespace

Result<std::vector<std::filesystem::path>> writeScreenshots(Studio& studio, const std::filesystem::path& folder) {
    LS_TRY(makeFolders(folder, 0755));
    auto& window = studio.project().window();
    window.resize(kSize);
    leaveEverything(window);
    if (!passTime(kPatienceMs, [&] { return studio.project().isSettled(); }))
        return makeError("R569", {{"seconds", std::to_string(kPatienceMs / 1000)}});
    const auto modeBefore = studio.theme().mode();
    std::vector<std::filesystem::path> files;
    for (const auto& id : window.pageIds()) {
        window.showPage(id);
        leaveEverything(window);
        for (const auto mode : {style::Mode::Light, style::Mode::Dark}) {
            studio.theme().setMode(mode);
            passTime(kSettleMs, [] { return false; });
            const auto file = folder / (id.toStdString() + (mode == style::Mode::Light ? "-light.png" : "-dark.png"));
            if (!window.grab().save(QString::fromStdString(file.string()), "PNG"))
                return makeError("F604", {{"file", file.string()}, {"reason", "the picture could not be saved"}});
            files.push_back(file);
        }
    }
    studio.theme().setMode(modeBefore);
    return files;
}

}  // namespace lockstep::studio
