// Versions of the libraries this layer uses, asked from the libraries themselves.
#pragma once

#include <string>

namespace lockstep::keras {

std::string hdf5Version();    // "1.10.8"
std::string libzipVersion();  // "1.7.3"

}  // namespace lockstep::keras
