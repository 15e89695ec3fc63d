// Findings as text.
#pragma once

#include "output.h"

#include <api/checks.h>

#include <string>

namespace lockstep::cli {

// "warn   T305  a: line 1, column 20: sentence" and the next step below.
std::string findingText(const Output& output, const api::Finding& finding);

}  // namespace lockstep::cli
