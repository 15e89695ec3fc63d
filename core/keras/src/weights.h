// model.weights.h5: the groups below /layers, /vars and /optimizer.
#pragma once

#include <base/result.h>
#include <keras/keras_file.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::keras {

struct Weights {
    std::vector<WeightGroup> groups;
    std::vector<WeightGroup> optimizer;
};

// `content` are the bytes of the file, `file` is for the errors. Error F651.
Result<Weights> readWeights(std::string_view content, const std::string& file);

// The bytes of the file. Error F659.
Result<std::vector<std::byte>> printWeights(const std::vector<WeightGroup>& groups, const std::vector<WeightGroup>& optimizer);

// A part of a group's path: Keras makes them from names of classes and members.
bool isGroupName(std::string_view name);

}  // namespace lockstep::keras
