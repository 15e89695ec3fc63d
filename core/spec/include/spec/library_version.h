// The version of yaml-cpp this program was built with; the library can't be asked.
#pragma once

#include <string>

namespace lockstep::spec {

std::string yamlCppVersion();

}  // namespace lockstep::spec
