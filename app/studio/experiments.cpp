#include "experiments.h"

#include <base/paths.h>
#include <text/format.h>

#include <algorithm>

namespace lockstep::studio {
namespace {

// By name; a folder that can't be read has none: the window says elsewhere what is wrong with it.
std::vector<api::SpecSource> specsIn(const std::filesystem::path& folder) {
    std::vector<api::SpecSource> specs;
    std::error_code status;
    for (std::filesystem::directory_iterator entry(folder, status), end; !status && entry != end; entry.increment(status)) {
        const auto extension = entry->path().extension();
        std::error_code one;
        if ((extension == ".yaml" || extension == ".yml") && entry->is_regular_file(one)) specs.push_back({entry->path(), {}, {}});
    }
    std::ranges::sort(specs, {}, &api::SpecSource::file);
    return specs;
}

QString detailOf(const bridge::SpecLine& line) {
    if (line.problem) return Experiments::tr("can't be used: %1").arg(text::toText(line.problem->code + ", " + line.problem->message));
    QStringList parts{text::toText(line.summary.model), text::toText(line.summary.dataset)};
    if (line.summary.devices > 0) parts << Experiments::tr("%n device(s)", nullptr, line.summary.devices);
    parts << text::toText(line.summary.strategy);
    return parts.join(QStringLiteral(" · "));
}

}  // namespace

Experiments::Experiments(bridge::CommandRunner& commands, std::filesystem::path project, QObject* parent)
    : QObject(parent), m_commands(commands), m_project(std::move(project)) {}

void Experiments::refresh() {
    auto specs = specsIn(m_project / "experiments");
    const auto presets = specsIn(resourcesFolder() / "presets");
    specs.insert(specs.end(), presets.begin(), presets.end());
    m_commands.describe(std::move(specs), this, [this](const Result<std::vector<bridge::SpecLine>>& lines) {
        if (lines.ok()) take(*lines);
    });
}

void Experiments::take(const std::vector<bridge::SpecLine>& lines) {
    std::vector<pages::Experiment> all;
    for (const auto& line : lines) {
        const bool own = line.file.parent_path() == m_project / "experiments";
        all.push_back({text::toText(line.file.filename().string()), detailOf(line), text::toText(line.file.string()),
                       own ? pages::Experiment::Origin::Project : pages::Experiment::Origin::Preset});
    }
    if (all == m_all) return;
    m_all = std::move(all);
    emit changed();
}

}  // namespace lockstep::studio
