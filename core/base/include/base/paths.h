// Where things are kept for this user (XDG base directories). Functions only name places; makeRuntimeFolder() makes one.
#pragma once

#include <base/result.h>

#include <filesystem>

namespace lockstep {

// $XDG_RUNTIME_DIR/lockstep, else /tmp/lockstep-<uid>. Sockets live here; socket paths must stay ≤ 107 characters.
std::filesystem::path runtimeFolder();
// Makes it with mode 0700 and checks owner and mode; F607 when it belongs to somebody else or is open to others.
Result<std::filesystem::path> makeRuntimeFolder();

std::filesystem::path configFolder();  // $XDG_CONFIG_HOME/lockstep: key, settings
std::filesystem::path cacheFolder();   // $XDG_CACHE_HOME/lockstep: unpacked data
std::filesystem::path stateFolder();   // $XDG_STATE_HOME/lockstep: agent logs, history

// The running program file.
std::filesystem::path programFile();
// The shipped resources: $LOCKSTEP_RESOURCES, else <program>/../../resources of a build tree or <program>/../share/lockstep.
std::filesystem::path resourcesFolder();

}  // namespace lockstep
