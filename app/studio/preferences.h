// What a person has chosen for the whole program, kept in $XDG_CONFIG_HOME/lockstep/studio.json.
#pragma once

#include <base/result.h>
#include <style/theme.h>

#include <QString>

#include <filesystem>

namespace lockstep::studio {

struct Preferences {
    style::Mode mode = style::Mode::System;
    double textScale = 1.0;
    QString language;  // "" = the system's, "en", "zh_CN"
    bool operator==(const Preferences&) const = default;
};

std::filesystem::path preferencesFile();
// A file that is not there gives the defaults; one that can't be read or understood too, with the reason. Errors: F602, F640.
Result<Preferences> readPreferences(const std::filesystem::path& file);
// Atomic. Errors: F604, F605.
Result<void> writePreferences(const std::filesystem::path& file, const Preferences& preferences);

}  // namespace lockstep::studio
