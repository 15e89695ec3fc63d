// Versions of the libraries this layer uses, asked from the libraries themselves.
#pragma once

#include <string>

namespace lockstep {

std::string zlibLibraryVersion();     // "1.2.13"
std::string opensslLibraryVersion();  // "3.0.11"

}  // namespace lockstep
