// A .keras file as a model of the engine: its layers and its weights, matched by the names of layers and variables. Values, thread safe.
#pragma once

#include <base/result.h>
#include <graph/types.h>
#include <keras/keras_file.h>
#include <nn/model.h>

#include <cstddef>
#include <string>
#include <vector>

namespace lockstep::imports {

// The layers of the file under their own names, for buildModel(). One input and one output. Initializers are left out: the weights come
// from the file. `file` is its name, for errors: F652, F653, F654, F655 (config.json); X009 (a setting, a call or a shape that Keras
// knows and this build does not).
Result<nn::Architecture> architectureOf(const keras::KerasFile& model, const std::string& file);

// The file's weights for `model`, built from its architecture: one per nn::Model::weights, in `dtype`. A gamma or beta that a layer has
// not is its constant. Errors: S413 (a weight is missing or of another shape, or one is left over), C710, C711, F65x.
Result<std::vector<std::vector<std::byte>>> weightsOf(const keras::KerasFile& model, const nn::Model& built, graph::DType dtype,
                                                      const std::string& file);

}  // namespace lockstep::imports
