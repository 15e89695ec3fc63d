#include <keras/keras_file.h>

#include "archive.h"
#include "json.h"
#include "weights.h"

#include <base/checksum.h>
#include <base/clock.h>
#include <base/file.h>

#include <array>
#include <ctime>

namespace lockstep::keras {
namespace {

constexpr std::uint64_t kMostMetadataBytes = 64 << 10;
constexpr const char* kTargetVersion = "3.4.0";

// Keras' form, in local time as it has it.
std::string dateNow() {
    const auto now = static_cast<std::time_t>(unixSeconds());
    std::tm parts{};
    localtime_r(&now, &parts);
    std::array<char, 32> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%d@%H:%M:%S", &parts);
    return text.data();
}

Result<Metadata> parseMetadata(const std::string& text, const std::string& file) {
    std::string reason;
    const Value value = parseJson(text, reason);
    if (reason.empty() && value.object() == nullptr) reason = "it is no object";
    if (!reason.empty()) return makeError("F652", {{"file", file}, {"member", "metadata.json"}, {"what", reason}});
    return Metadata{value.textOf("keras_version"), value.textOf("date_saved")};
}

Result<void> checkConfig(const std::string& text, const std::string& file) {
    std::string reason;
    const Value value = parseJson(text, reason);
    if (reason.empty() && value.object() == nullptr) reason = "it is no object";
    if (!reason.empty()) return makeError("F652", {{"file", file}, {"member", "config.json"}, {"what", reason}});
    return {};
}

}  // namespace

const WeightGroup* findGroup(const std::vector<WeightGroup>& groups, std::string_view path) {
    for (const WeightGroup& group : groups)
        if (group.path == path) return &group;
    return nullptr;
}

Result<KerasFile> readKeras(const std::filesystem::path& path) {
    const std::string file = path.string();
    LS_TRY_ASSIGN(const auto archive, Archive::open(path));
    KerasFile model;
    LS_TRY_ASSIGN(const auto metadata, archive.read("metadata.json", kMostMetadataBytes));
    LS_TRY_ASSIGN(model.metadata, parseMetadata(metadata, file));
    LS_TRY_ASSIGN(model.config, archive.read("config.json", kMostConfigBytes));
    LS_TRY(checkConfig(model.config, file));
    LS_TRY_ASSIGN(const auto content, archive.read("model.weights.h5", kMostArchiveBytes));
    LS_TRY_ASSIGN(auto weights, readWeights(content, file));
    model.groups = std::move(weights.groups);
    model.optimizer = std::move(weights.optimizer);
    return model;
}

Result<void> writeKeras(const std::filesystem::path& path, const KerasFile& file) {
    std::string reason;
    const Value config = parseJson(file.config, reason);
    if (reason.empty() && config.object() == nullptr) reason = "it is no object";
    if (!reason.empty()) return makeError("F659", {{"what", "the configuration: " + reason}});
    const Value metadata(Value::Object{
        {"keras_version", file.metadata.kerasVersion.empty() ? kTargetVersion : file.metadata.kerasVersion},
        {"date_saved", file.metadata.dateSaved.empty() ? dateNow() : file.metadata.dateSaved},
    });
    LS_TRY_ASSIGN(const auto weights, printWeights(file.groups, file.optimizer));
    const std::string head = printJson(metadata);
    LS_TRY_ASSIGN(const auto archive,
                  makeArchive({{"metadata.json", asBytes(head)}, {"config.json", asBytes(file.config)}, {"model.weights.h5", weights}}));
    return replaceFile(path, archive);
}

}  // namespace lockstep::keras
