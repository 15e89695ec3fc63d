#include <control/data_facts.h>

#include <base/paths.h>

#include <algorithm>

namespace lockstep::control {

void anchorData(spec::RunSpec& spec, const std::filesystem::path& specFile) {
    std::error_code status;
    const auto folder = std::filesystem::absolute(specFile, status).parent_path();
    for (auto* path : {&spec.data.path, &spec.model.keras})
        if (*path && (*path)->is_relative()) *path = (folder / **path).lexically_normal();
}

std::filesystem::path dataFolder(const spec::RunSpec& spec) {
    return spec.data.path.value_or(resourcesFolder() / "data" / spec.data.dataset);
}

data::LoadOptions loadOptions(const spec::RunSpec& spec, const std::filesystem::path& folder) {
    data::LoadOptions load;
    load.dataset = spec.data.dataset;
    load.folder = folder;
    load.cacheFolder = cacheFolder();
    for (const double size : spec.data.shape) load.shape.push_back(static_cast<std::int64_t>(size));
    load.features = spec.data.features;
    load.label = spec.data.label;
    // Other data sets have classes, which are given as numbers where a loss wants them.
    const bool hasNumbers = load.dataset == "npy" || load.dataset == "csv" || load.dataset == "tfrecord";
    if (hasNumbers && nn::targetsOf(spec.training.loss) == nn::TargetKind::Values) load.target = data::Target::Values;
    if (hasNumbers && spec.training.loss.name == "categorical_crossentropy") load.target = data::Target::Either;
    load.validationSplit = spec.data.validationSplit;
    load.syntheticRows = spec.data.rows;
    load.syntheticClasses = spec.data.classes;
    load.syntheticSeed = spec.seed;
    return load;
}

data::Augmentation augmentationOf(const spec::RunSpec& spec) {
    const auto has = [&](const char* word) {
        return std::find(spec.data.augment.begin(), spec.data.augment.end(), word) != spec.data.augment.end();
    };
    return {has("random_crop") ? spec.data.cropPadding : 0, has("random_flip")};
}

data::Normalisation normalisationOf(const spec::RunSpec& spec) {
    return {{spec.data.mean.begin(), spec.data.mean.end()}, {spec.data.deviation.begin(), spec.data.deviation.end()}};
}

Result<plan::DataFacts> readDataFacts(const spec::RunSpec& spec) {
    LS_TRY_ASSIGN(const auto facts, data::readDatasetFacts(loadOptions(spec, dataFolder(spec))));
    LS_TRY(data::checkTransform(facts.featureShape, facts.element, {augmentationOf(spec), normalisationOf(spec), spec.seed}));
    return plan::DataFacts{facts.featureShape, facts.classes, facts.rows, facts.validationRows, facts.element == data::Element::U8,
                           facts.targetWidth};
}

}  // namespace lockstep::control
