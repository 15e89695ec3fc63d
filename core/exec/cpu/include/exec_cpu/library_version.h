// The version of oneDNN this program runs with, asked from the library.
#pragma once

#include <string>

namespace lockstep::exec::cpu {

std::string oneDnnVersion();

}  // namespace lockstep::exec::cpu
