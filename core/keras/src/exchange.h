// What the reading process hands to its parent: one safetensors file with the values, or with an error and no tensors.
#pragma once

#include <base/result.h>
#include <keras/keras_file.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace lockstep::keras {

Result<std::vector<std::byte>> packAnswer(Result<KerasFile> answer);

// The other way. The bytes come from a process that a hostile file may have taken over: all is checked again. Error F656 when they are
// no answer; `file` is for it.
Result<KerasFile> unpackAnswer(std::span<const std::byte> bytes, const std::string& file);

}  // namespace lockstep::keras
