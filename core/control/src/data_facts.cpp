#include <control/data_facts.h>

#include <base/paths.h>
#include <data/dataset.h>

namespace lockstep::control {

void anchorData(spec::RunSpec& spec, const std::filesystem::path& specFile) {
    if (!spec.data.path || spec.data.path->is_absolute()) return;
    std::error_code status;
    spec.data.path = (std::filesystem::absolute(specFile, status).parent_path() / *spec.data.path).lexically_normal();
}

std::filesystem::path dataFolder(const spec::RunSpec& spec) {
    return spec.data.path.value_or(resourcesFolder() / "data" / spec.data.dataset);
}

Result<plan::DataFacts> readDataFacts(const spec::RunSpec& spec) {
    data::LoadOptions load;
    load.dataset = spec.data.dataset;
    load.folder = dataFolder(spec);
    LS_TRY_ASSIGN(const auto facts, data::readDatasetFacts(load));
    return plan::DataFacts{facts.featureShape, facts.classes};
}

}  // namespace lockstep::control
