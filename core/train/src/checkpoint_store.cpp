#include <train/checkpoint.h>

#include "checkpoint_header.h"

#include <base/clock.h>
#include <base/file.h>
#include <base/ids.h>

#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdio>

namespace lockstep::train {
namespace {

namespace fs = std::filesystem;

constexpr const char* kManifest = "manifest.json";
constexpr const char* kSuffix = ".lsc";
constexpr const char* kTemporary = ".tmp-";

std::string idOf(std::uint64_t step) {
    char text[32];
    std::snprintf(text, sizeof text, "step-%010llu", static_cast<unsigned long long>(step));
    return text;
}

bool isTemporary(const fs::path& file) { return file.filename().native().find(kTemporary) != std::string::npos; }

// Files of the folder by name, which is also by step.
std::vector<CheckpointInfo> scan(const fs::path& folder) {
    std::vector<CheckpointInfo> found;
    std::error_code status;
    for (const auto& entry : fs::directory_iterator(folder, status)) {
        const std::string id = entry.path().stem();
        if (entry.path().extension() != kSuffix || !id.starts_with("step-")) continue;
        CheckpointInfo info;
        info.id = id;
        info.step = std::strtoull(id.c_str() + 5, nullptr, 10);
        info.bytes = entry.file_size(status);
        found.push_back(std::move(info));
    }
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.step < b.step; });
    return found;
}

std::optional<std::vector<CheckpointInfo>> readManifest(const fs::path& folder) {
    const auto text = readFile(folder / kManifest, kMostHeaderBytes);
    if (!text.ok()) return std::nullopt;
    return parseManifest(*text);
}

}  // namespace

CheckpointStore::CheckpointStore(fs::path folder, int keep)
    : m_folder(std::move(folder)), m_keep(static_cast<std::size_t>(std::max(keep, 2))) {}

Result<void> CheckpointStore::prepare() {
    LS_TRY(makeFolders(m_folder));
    std::error_code status;
    for (const auto& entry : fs::directory_iterator(m_folder, status))
        if (isTemporary(entry.path())) fs::remove(entry.path(), status);
    return {};
}

Result<std::string> CheckpointStore::save(const Checkpoint& checkpoint) {
    const std::string id = idOf(checkpoint.step);
    const fs::path temporary = m_folder / (id + kTemporary + randomHex(4));
    auto written = writeCheckpoint(temporary, checkpoint);
    if (written.ok() && ::rename(temporary.c_str(), fileOf(id).c_str()) != 0)
        written = makeError("F604", {{"file", fileOf(id).string()}, {"reason", systemText(errno)}});
    if (!written.ok()) {
        ::unlink(temporary.c_str());
        return written.error();
    }
    LS_TRY(syncFolder(m_folder));

    auto listed = list();
    // After falling back to an earlier checkpoint, later ones are of an abandoned course.
    std::erase_if(listed, [&](const CheckpointInfo& info) { return info.step >= checkpoint.step; });
    std::error_code status;
    listed.push_back({id, checkpoint.step, fs::file_size(fileOf(id), status), checkpoint.specHash, unixSeconds()});
    if (listed.size() > m_keep) listed.erase(listed.begin(), listed.end() - static_cast<std::ptrdiff_t>(m_keep));
    LS_TRY(replaceFile(m_folder / kManifest, printManifest(listed)));
    removeUnlisted(listed);
    return id;
}

void CheckpointStore::removeUnlisted(const std::vector<CheckpointInfo>& listed) const {
    std::error_code status;
    for (const CheckpointInfo& info : scan(m_folder)) {
        const auto same = [&](const CheckpointInfo& other) { return other.id == info.id; };
        if (std::none_of(listed.begin(), listed.end(), same)) fs::remove(fileOf(info.id), status);
    }
}

std::vector<CheckpointInfo> CheckpointStore::list() const {
    if (auto listed = readManifest(m_folder)) return *listed;
    return scan(m_folder);
}

Result<std::optional<CheckpointStore::Loaded>> CheckpointStore::loadFrom(const std::vector<CheckpointInfo>& candidates,
                                                                         std::vector<Error>& skipped) const {
    for (auto info = candidates.rbegin(); info != candidates.rend(); ++info) {
        auto checkpoint = readCheckpoint(fileOf(info->id));
        if (checkpoint.ok()) return std::optional<Loaded>(Loaded{info->id, std::move(*checkpoint), skipped});
        skipped.push_back(checkpoint.error());
    }
    return std::optional<Loaded>();
}

Result<std::optional<CheckpointStore::Loaded>> CheckpointStore::loadNewest(const std::string& specHash) const {
    std::vector<Error> skipped;
    LS_TRY_ASSIGN(auto loaded, loadFrom(list(), skipped));
    // Whole files that the manifest does not name are better than nothing.
    if (!loaded && !skipped.empty()) {
        const std::vector<Error> listedOnes = skipped;
        LS_TRY_ASSIGN(loaded, loadFrom(scan(m_folder), skipped));
        if (loaded)
            loaded->skipped = listedOnes;
        else
            return listedOnes.front();
    }
    if (loaded && loaded->checkpoint.specHash != specHash)
        return makeError("C702", {{"checkpoint", loaded->id}, {"found", loaded->checkpoint.specHash}, {"wanted", specHash}});
    return loaded;
}

}  // namespace lockstep::train
