// Pictures of every page, for documentation, tests and machines without a display.
#pragma once

#include "studio.h"

#include <base/result.h>

#include <filesystem>
#include <vector>

namespace lockstep::studio {

// Waits until everything that is stored has been drawn (60 s at most), then writes <page>-light.png and <page>-dark.png of each page at
// 1440 × 900 into the folder, which is made. Returns the files. Errors: F604, R569 (not drawn in time).
Result<std::vector<std::filesystem::path>> writeScreenshots(Studio& studio, const std::filesystem::path& folder);

}  // namespace lockstep::studio
