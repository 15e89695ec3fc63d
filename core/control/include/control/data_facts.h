// The data a specification names: where it is, and what the plan must know of it.
#pragma once

#include <base/result.h>
#include <data/augment.h>
#include <data/dataset.h>
#include <plan/plan.h>
#include <spec/run_spec.h>

#include <filesystem>

namespace lockstep::control {

// A path of data or of a model is relative to the specification that names it; afterwards it is absolute, so that a run finds it from
// anywhere.
void anchorData(spec::RunSpec& spec, const std::filesystem::path& specFile);

// data.path, else the folder of the data set in the program's resources.
std::filesystem::path dataFolder(const spec::RunSpec& spec);

// How the data of a specification is loaded; `folder` = where the files are on this computer.
data::LoadOptions loadOptions(const spec::RunSpec& spec, const std::filesystem::path& folder);
data::Augmentation augmentationOf(const spec::RunSpec& spec);
data::Normalisation normalisationOf(const spec::RunSpec& spec);

// From the headers of the files where they tell it. Errors: F6xx of data/dataset.h; F626 when augmentation or normalisation doesn't fit
// the rows.
Result<plan::DataFacts> readDataFacts(const spec::RunSpec& spec);

}  // namespace lockstep::control
