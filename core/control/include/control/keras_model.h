// The model file a specification names (model.keras): read in a process of its own (keras/isolated.h).
#pragma once

#include <base/result.h>
#include <keras/keras_file.h>
#include <spec/run_spec.h>

#include <optional>

namespace lockstep::control {

// Puts the file's layers into spec.model (values that a specification's text does not hold); nothing without model.keras. The weights are
// in what is given back (imports/keras_model.h). Blocks while the other process reads. Errors: F65x (the file), X009 (known to Keras, but
// not built).
Result<std::optional<keras::KerasFile>> resolveModel(spec::RunSpec& spec);

}  // namespace lockstep::control
