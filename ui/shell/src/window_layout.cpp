#include <base/file.h>
#include <base/paths.h>
#include <shell/window_layout.h>

#include <QCryptographicHash>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

namespace lockstep::shell {
namespace {

constexpr std::uint64_t kMostBytes = 64u << 10;
constexpr int kSchema = 1;
constexpr int kMostPixels = 32768;
constexpr int kMostIdLength = 64;
constexpr int kNameDigits = 16;

int pixels(const QJsonValue& value) { return std::clamp(value.toInt(), -kMostPixels, kMostPixels); }

QString id(const QJsonValue& value) { return value.toString().left(kMostIdLength); }

QRect rect(const QJsonValue& value) {
    const QJsonArray parts = value.toArray();
    if (parts.size() != 4) return {};
    return {pixels(parts[0]), pixels(parts[1]), std::max(0, pixels(parts[2])), std::max(0, pixels(parts[3]))};
}

Error damaged(const std::filesystem::path& file, const QString& what) {
    return makeError("F640", {{"file", file.string()}, {"what", what.toStdString()}});
}

}  // namespace

std::filesystem::path layoutFile(const QString& projectFolder) {
    const QByteArray hash = QCryptographicHash::hash(projectFolder.toUtf8(), QCryptographicHash::Sha256).toHex().left(kNameDigits);
    const std::string name = projectFolder.isEmpty() ? "no-project" : hash.toStdString();
    return stateFolder() / "layouts" / (name + ".json");
}

Result<WindowLayout> readLayout(const std::filesystem::path& file) {
    LS_TRY_ASSIGN(const std::string text, readFile(file, kMostBytes));
    QJsonParseError problem;
    const QJsonDocument document = QJsonDocument::fromJson(QByteArray::fromStdString(text), &problem);
    if (problem.error != QJsonParseError::NoError)
        return damaged(file, QStringLiteral("byte %1: %2").arg(problem.offset).arg(problem.errorString()));
    const QJsonObject object = document.object();
    if (object.value(QStringLiteral("schema")).toInt() != kSchema) return damaged(file, QStringLiteral("its schema is not 1"));
    WindowLayout layout;
    layout.geometry = rect(object.value(QStringLiteral("geometry")));
    layout.maximized = object.value(QStringLiteral("maximized")).toBool();
    layout.page = id(object.value(QStringLiteral("page")));
    layout.pageBar = object.value(QStringLiteral("page_bar_collapsed")).toBool() ? PageBarWish::Collapsed : PageBarWish::Wide;
    layout.dock = object.value(QStringLiteral("dock_open")).toBool(true) ? DockWish::Open : DockWish::Closed;
    layout.dockWidth = std::max(0, pixels(object.value(QStringLiteral("dock_width"))));
    layout.pane = id(object.value(QStringLiteral("pane")));
    layout.paneHeight = std::max(0, pixels(object.value(QStringLiteral("pane_height"))));
    return layout;
}

Result<void> writeLayout(const std::filesystem::path& file, const WindowLayout& layout) {
    const QRect& g = layout.geometry;
    const QJsonObject object{
        {QStringLiteral("schema"), kSchema},
        {QStringLiteral("geometry"), QJsonArray{g.x(), g.y(), g.width(), g.height()}},
        {QStringLiteral("maximized"), layout.maximized},
        {QStringLiteral("page"), layout.page},
        {QStringLiteral("page_bar_collapsed"), layout.pageBar == PageBarWish::Collapsed},
        {QStringLiteral("dock_open"), layout.dock == DockWish::Open},
        {QStringLiteral("dock_width"), layout.dockWidth},
        {QStringLiteral("pane"), layout.pane},
        {QStringLiteral("pane_height"), layout.paneHeight},
    };
    LS_TRY(makeFolders(file.parent_path(), 0700));
    return replaceFile(file, QJsonDocument(object).toJson(QJsonDocument::Compact).toStdString(), 0600);
}

QRect fittedTo(const QRect& wanted, const QRect& available) {
    QRect fitted(wanted.topLeft(), wanted.size().boundedTo(available.size()));
    fitted.moveLeft(std::clamp(fitted.left(), available.left(), available.right() - fitted.width() + 1));
    fitted.moveTop(std::clamp(fitted.top(), available.top(), available.bottom() - fitted.height() + 1));
    return fitted;
}

}  // namespace lockstep::shell
