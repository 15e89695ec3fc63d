#include <workbench/workbench.h>

#include "project_file.h"

#include <base/clock.h>
#include <base/file.h>
#include <base/paths.h>

#include <nlohmann/json.hpp>

#include <algorithm>

namespace lockstep::workbench {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostRecent = 20;
constexpr std::uint64_t kListLimit = 1u << 20;
constexpr int kSchema = 1;

std::filesystem::path wholePath(const std::filesystem::path& folder) {
    std::error_code status;
    auto whole = std::filesystem::weakly_canonical(folder, status);
    if (status) return folder;
    return whole.has_filename() ? whole : whole.parent_path();  // without a slash at the end
}

Result<api::ProjectInfo> inspect(const std::filesystem::path& folder) {
    std::error_code status;
    if (!std::filesystem::exists(folder, status)) return makeError("F630", {{"folder", folder.string()}});
    if (!std::filesystem::is_directory(folder, status)) return makeError("F636", {{"file", folder.string()}});
    if (!std::filesystem::exists(projectFile(folder), status) && !status) return makeError("F632", {{"folder", folder.string()}});
    return readProject(folder);
}

api::RecentProject entryFrom(const Json& object) {
    api::RecentProject entry;
    if (!object.is_object()) return entry;
    if (const auto folder = object.find("folder"); folder != object.end() && folder->is_string())
        entry.project.folder = folder->get<std::string>();
    if (const auto name = object.find("name"); name != object.end() && name->is_string()) entry.project.name = name->get<std::string>();
    if (const auto opened = object.find("opened"); opened != object.end() && opened->is_number()) entry.opened = opened->get<double>();
    return entry;
}

class Catalog : public api::ProjectCatalog {
public:
    explicit Catalog(const CatalogOptions& options)
        : m_program(options.program), m_file((options.state.empty() ? stateFolder() : options.state) / "recent-projects.json") {}

    std::vector<api::RecentProject> recent() const override {
        auto entries = read();
        for (auto& entry : entries) {
            const auto info = inspect(entry.project.folder);
            if (info.ok())
                entry.project = *info;
            else
                entry.problem = info.error();
        }
        return entries;
    }

    Result<std::unique_ptr<api::Workbench>> open(const std::filesystem::path& folder) override {
        const auto whole = wholePath(folder);
        LS_TRY_ASSIGN(const auto info, inspect(whole));
        remember(info);
        return makeWorkbench(WorkbenchOptions{whole, m_program});
    }

    Result<std::unique_ptr<api::Workbench>> create(const std::filesystem::path& folder, const std::string& name) override {
        LS_TRY(createProject(folder, name));
        return open(folder);
    }

    Result<void> forget(const std::filesystem::path& folder) override {
        auto entries = read();
        std::erase_if(entries, [whole = wholePath(folder)](const auto& entry) { return entry.project.folder == whole; });
        return write(entries);
    }

    std::optional<Error> problem() const override { return m_problem; }

private:
    // A list that is absent or damaged is an empty one.
    std::vector<api::RecentProject> read() const {
        const auto text = readFile(m_file, kListLimit);
        if (!text.ok()) return {};
        const auto object = Json::parse(*text, nullptr, false);
        if (!object.is_object() || !object.contains("projects") || !object["projects"].is_array()) return {};
        std::vector<api::RecentProject> entries;
        for (const auto& item : object["projects"]) {
            auto entry = entryFrom(item);
            if (!entry.project.folder.empty() && entries.size() < kMostRecent) entries.push_back(std::move(entry));
        }
        return entries;
    }

    Result<void> write(const std::vector<api::RecentProject>& entries) const {
        auto projects = Json::array();
        for (const auto& entry : entries)
            projects.push_back({{"folder", entry.project.folder.string()}, {"name", entry.project.name}, {"opened", entry.opened}});
        LS_TRY(makeFolders(m_file.parent_path(), 0700));
        const Json list{{"schema", kSchema}, {"projects", std::move(projects)}};
        return replaceFile(m_file, list.dump(2, ' ', false, Json::error_handler_t::replace) + "\n", 0600);
    }

    void remember(const api::ProjectInfo& info) {
        auto entries = read();
        std::erase_if(entries, [&](const auto& entry) { return entry.project.folder == info.folder; });
        entries.insert(entries.begin(), {info, unixSeconds(), std::nullopt});
        if (entries.size() > kMostRecent) entries.resize(kMostRecent);
        const auto written = write(entries);
        m_problem = written.ok() ? std::nullopt : std::optional(written.error());
    }

    const std::filesystem::path m_program;
    const std::filesystem::path m_file;
    std::optional<Error> m_problem;
};

}  // namespace

std::unique_ptr<api::ProjectCatalog> makeProjectCatalog(const CatalogOptions& options) { return std::make_unique<Catalog>(options); }

}  // namespace lockstep::workbench
