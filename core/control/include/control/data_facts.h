// The data a specification names: where it is, and what the plan must know of it.
#pragma once

#include <base/result.h>
#include <plan/plan.h>
#include <spec/run_spec.h>

#include <filesystem>

namespace lockstep::control {

// A data path is relative to the specification that names it; afterwards it is absolute, so that a run finds it from anywhere.
void anchorData(spec::RunSpec& spec, const std::filesystem::path& specFile);

// data.path, else the folder of the data set in the program's resources.
std::filesystem::path dataFolder(const spec::RunSpec& spec);

// From the headers of the files. Errors: F601, F602, F603, F612, F617.
Result<plan::DataFacts> readDataFacts(const spec::RunSpec& spec);

}  // namespace lockstep::control
