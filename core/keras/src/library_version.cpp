#include <keras/library_version.h>

#include "hdf5_handles.h"

#include <zip.h>

namespace lockstep::keras {

std::string hdf5Version() {
    const auto lock = useHdf5();
    unsigned major = 0, minor = 0, release = 0;
    if (H5get_libversion(&major, &minor, &release) < 0) return "unknown";
    return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release);
}

std::string libzipVersion() { return zip_libzip_version(); }

}  // namespace lockstep::keras
