#include "fixtures.h"

#include "archive.h"

#include <base/checksum.h>
#include <base/paths.h>

#include <algorithm>
#include <fstream>

namespace lockstep::test {

std::vector<std::string> goodFiles() {
    std::vector<std::string> names;
    for (const char* folder : {"", "more"})
        for (const auto& entry : std::filesystem::directory_iterator(kerasFixtures() / folder))
            if (entry.path().extension() == ".keras") names.push_back((std::filesystem::path(folder) / entry.path().filename()).string());
    std::ranges::sort(names);
    return names;
}

std::filesystem::path makeModel(const Scratch& folder, const Parts& parts) {
    const auto archive = keras::makeArchive(
        {{"metadata.json", asBytes(parts.metadata)}, {"config.json", asBytes(parts.config)}, {"model.weights.h5", asBytes(parts.weights)}});
    std::ofstream(folder / "made.keras", std::ios::binary) << *archive;
    return folder / "made.keras";
}

Parts partsOf(const std::string& name) {
    const auto archive = keras::Archive::open(kerasFixtures() / name);
    constexpr std::uint64_t kMost = 64u << 20;
    return {*archive->read("metadata.json", kMost), *archive->read("config.json", kMost), *archive->read("model.weights.h5", kMost)};
}

std::filesystem::path readerProgram() { return programFile().parent_path() / "read_keras"; }

}  // namespace lockstep::test
