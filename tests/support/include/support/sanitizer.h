// Whether this build watches every access to memory for data races: some ten times slower, so that tests which go through much data
// take less of it. What they check stays the same.
#pragma once

namespace lockstep::test {

#if defined(__SANITIZE_THREAD__)
inline constexpr bool kThreadSanitizer = true;
#else
inline constexpr bool kThreadSanitizer = false;
#endif

}  // namespace lockstep::test
