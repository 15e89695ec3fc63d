// Versions of the libraries this program is linked with, as each layer that uses one reports them.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace lockstep::cli {

// Name and version, in a fixed order.
std::vector<std::pair<std::string, std::string>> libraryVersions();

}  // namespace lockstep::cli
