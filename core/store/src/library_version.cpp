#include <store/library_version.h>

#include <sqlite3.h>

namespace lockstep::store {

std::string sqliteVersion() { return ::sqlite3_libversion(); }

}  // namespace lockstep::store
