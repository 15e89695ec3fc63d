#include "preferences.h"

#include <base/file.h>
#include <base/paths.h>

#include <QJsonDocument>
#include <QJsonObject>

namespace lockstep::studio {
namespace {

constexpr std::uint64_t kMostBytes = 64u << 10;
constexpr const char* kModes[] = {"system", "light", "dark"};

}  // namespace

std::filesystem::path preferencesFile() { return configFolder() / "studio.json"; }

Result<Preferences> readPreferences(const std::filesystem::path& file) {
    std::error_code status;
    if (!std::filesystem::exists(file, status)) return Preferences{};
    LS_TRY_ASSIGN(const std::string text, readFile(file, kMostBytes));
    QJsonParseError problem;
    const auto object = QJsonDocument::fromJson(QByteArray::fromStdString(text), &problem).object();
    if (problem.error != QJsonParseError::NoError)
        return makeError("F641", {{"file", file.string()}, {"what", problem.errorString().toStdString()}});
    Preferences preferences;
    for (int i = 0; i < 3; ++i)
        if (object.value(QStringLiteral("theme")).toString() == QLatin1String(kModes[i])) preferences.mode = static_cast<style::Mode>(i);
    preferences.textScale = object.value(QStringLiteral("text_scale")).toDouble(1.0);
    preferences.language = object.value(QStringLiteral("language")).toString();
    return preferences;
}

Result<void> writePreferences(const std::filesystem::path& file, const Preferences& preferences) {
    const QJsonObject object{{QStringLiteral("theme"), QLatin1String(kModes[static_cast<int>(preferences.mode)])},
                             {QStringLiteral("text_scale"), preferences.textScale},
                             {QStringLiteral("language"), preferences.language}};
    LS_TRY(makeFolders(file.parent_path(), 0700));
    return replaceFile(file, QJsonDocument(object).toJson().toStdString(), 0600);
}

}  // namespace lockstep::studio
