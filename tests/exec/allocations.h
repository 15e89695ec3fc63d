// How often the calling thread asks operator new for memory. The operators are replaced for the whole test program.
#pragma once

#include <functional>

namespace lockstep::exec {

int countAllocations(const std::function<void()>& body);

}  // namespace lockstep::exec
