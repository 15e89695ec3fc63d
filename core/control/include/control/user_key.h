// The user's secret: 32 random bytes in configFolder()/key, mode 0600, made at first use. Authenticates ranks that are started by hand.
#pragma once

#include <base/result.h>

#include <string>

namespace lockstep::control {

// Error F607 when the file belongs to somebody else or others may read it; F602/F604.
Result<std::string> userKey();

}  // namespace lockstep::control
