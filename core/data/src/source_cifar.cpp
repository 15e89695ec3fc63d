#include "reading.h"
#include "source.h"

#include <data/cifar.h>

#include <cstring>

namespace lockstep::data {
namespace {

namespace fs = std::filesystem;

struct Files {
    std::vector<fs::path> train;
    fs::path validation;  // empty: none
};

class CifarSource final : public Source {
public:
    CifarSource(CifarKind kind, Files files) : m_kind(kind), m_files(std::move(files)) {}

    std::vector<fs::path> files() const override {
        std::vector<fs::path> all = m_files.train;
        if (!m_files.validation.empty()) all.push_back(m_files.validation);
        return all;
    }

    Result<SourceFacts> facts() override {
        SourceFacts found;
        found.facts.featureShape = {kCifarSide, kCifarSide, 3};
        found.facts.classes = classesOf(m_kind);
        for (const fs::path& file : m_files.train) {
            LS_TRY_ASSIGN(const std::int64_t rows, countCifarRows(file, m_kind));
            found.facts.rows += rows;
        }
        if (!m_files.validation.empty()) {
            LS_TRY_ASSIGN(found.facts.validationRows, countCifarRows(m_files.validation, m_kind));
        }
        return found;
    }

    Result<void> fill(const SplitRoom& train, const SplitRoom& validation) override {
        LS_TRY(fillSplit(m_files.train, train));
        if (!m_files.validation.empty()) LS_TRY(fillSplit({m_files.validation}, validation));
        return {};
    }

private:
    Result<void> fillSplit(const std::vector<fs::path>& files, const SplitRoom& room) const {
        std::size_t row = 0;
        for (const fs::path& file : files)
            LS_TRY(readCifar(file, m_kind, [&](const CifarRow& record) -> Result<void> {
                if (row >= room.labels.size()) return changedWhileRead(file);
                cifarToRows(record.planes, room.features.data() + row * 3 * kCifarPixels);
                room.labels[row++] = record.label;
                return {};
            }));
        return row == room.labels.size() ? Result<void>() : changedWhileRead(files.front());
    }

    CifarKind m_kind;
    Files m_files;
};

// The folder given, or the one that unpacking the archive makes in it.
fs::path findFolder(const fs::path& folder, CifarKind kind, const char* first) {
    std::error_code status;
    const fs::path unpacked = folder / (kind == CifarKind::Ten ? "cifar-10-batches-bin" : "cifar-100-binary");
    return !fs::exists(folder / first, status) && fs::exists(unpacked / first, status) ? unpacked : folder;
}

Error missing(const fs::path& folder, const fs::path& file, CifarKind kind) {
    std::error_code status;
    const fs::path archive = folder / (kind == CifarKind::Ten ? "cifar-10-binary.tar.gz" : "cifar-100-binary.tar.gz");
    auto error = makeError("F602", {{"file", file.string()}, {"reason", "there is no such file"}});
    if (fs::exists(archive, status)) error.next = "Unpack the archive first: tar xzf " + archive.string() + " -C " + folder.string();
    return error;
}

}  // namespace

Result<std::unique_ptr<Source>> openCifar(const LoadOptions& options) {
    const CifarKind kind = options.dataset == "cifar10" ? CifarKind::Ten : CifarKind::Hundred;
    const bool ten = kind == CifarKind::Ten;
    const fs::path folder = findFolder(options.folder, kind, ten ? "data_batch_1.bin" : "train.bin");
    std::error_code status;
    Files files;
    // Fewer batches are fine, as long as none in between is missing.
    for (int batch = 1; ten && batch <= 5; ++batch) {
        const fs::path file = folder / ("data_batch_" + std::to_string(batch) + ".bin");
        if (!fs::exists(file, status)) break;
        files.train.push_back(file);
    }
    if (!ten && fs::exists(folder / "train.bin", status)) files.train.push_back(folder / "train.bin");
    if (files.train.empty()) return missing(options.folder, folder / (ten ? "data_batch_1.bin" : "train.bin"), kind);
    const fs::path test = folder / (ten ? "test_batch.bin" : "test.bin");
    if (fs::exists(test, status)) files.validation = test;
    return std::unique_ptr<Source>(std::make_unique<CifarSource>(kind, std::move(files)));
}

}  // namespace lockstep::data
