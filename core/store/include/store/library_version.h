// The version of SQLite this program runs with, asked from the library.
#pragma once

#include <string>

namespace lockstep::store {

std::string sqliteVersion();

}  // namespace lockstep::store
