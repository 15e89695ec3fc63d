#include <data/library_version.h>

#include <png.h>
#include <cstdio>
// libjpeg's header needs size_t and FILE before it.
#include <jpeglib.h>

#define LS_TEXT_(value) #value
#define LS_TEXT(value) LS_TEXT_(value)

namespace lockstep::data {

std::string pngLibraryVersion() { return png_get_libpng_ver(nullptr); }
std::string jpegLibraryVersion() { return LS_TEXT(LIBJPEG_TURBO_VERSION); }

}  // namespace lockstep::data
