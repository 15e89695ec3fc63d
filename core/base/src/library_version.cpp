#include <base/library_version.h>

#include <openssl/crypto.h>
#include <zlib.h>

namespace lockstep {

std::string zlibLibraryVersion() { return ::zlibVersion(); }
std::string opensslLibraryVersion() { return ::OpenSSL_version(OPENSSL_VERSION_STRING); }

}  // namespace lockstep
