// The window as the person left it, one small JSON file per project in $XDG_STATE_HOME/lockstep/layouts/. It is never in the project:
// two people, or two screens, do not share it.
#pragma once

#include <base/result.h>

#include <QByteArray>
#include <QRect>
#include <QString>

#include <filesystem>

namespace lockstep::shell {

enum class PageBarWish : std::uint8_t { Wide, Collapsed };
enum class DockWish : std::uint8_t { Open, Closed };

struct WindowLayout {
    QRect geometry;  // not maximised; null = never saved
    bool maximized = false;
    QString page;  // id; empty = the first
    PageBarWish pageBar = PageBarWish::Wide;
    DockWish dock = DockWish::Open;
    int dockWidth = 0;  // 0 = as designed
    QString pane;       // id of the open bottom pane; empty = closed
    int paneHeight = 0;
    bool operator==(const WindowLayout&) const = default;
};

// The file for this project folder; an empty folder names the window without a project.
std::filesystem::path layoutFile(const QString& projectFolder);

// Errors: F602 (there is none yet, or it can't be opened), F603, F606, F640 (damaged).
Result<WindowLayout> readLayout(const std::filesystem::path& file);
// Atomic. Errors: F604, F605.
Result<void> writeLayout(const std::filesystem::path& file, const WindowLayout& layout);

// `wanted` moved and shrunk until it lies on `available` (a screen), so that a window is never restored out of reach.
QRect fittedTo(const QRect& wanted, const QRect& available);

}  // namespace lockstep::shell
