// One dataset of a weights file as a tensor.
#pragma once

#include "hdf5_handles.h"

#include <keras/tensor.h>

#include <cstdint>
#include <optional>
#include <string>

namespace lockstep::keras {

// Nothing on error, and then `reason` is one clause. `left` are the bytes that all tensors still to be read may take together: those
// of the file, as each byte of a tensor stands in it; what was read is taken off.
std::optional<Tensor> readDataset(hid_t dataset, std::uint64_t& left, std::string& reason);

// A text attribute of one value; nothing when there is none of that name. `reason` as above, when it is there in another form.
std::optional<std::string> readTextAttribute(hid_t object, const char* name, std::string& reason);

}  // namespace lockstep::keras
