// The words shared by printer and parser.
#pragma once

#include <string>
#include <string_view>

namespace lockstep::graph {

// In double quotes, with \" \\ and \xNN for control characters.
std::string quoted(std::string_view text);

}  // namespace lockstep::graph
