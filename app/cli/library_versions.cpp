#include "library_versions.h"

#include <base/library_version.h>
#include <data/library_version.h>
#include <exec_cpu/library_version.h>
#include <keras/library_version.h>
#include <spec/library_version.h>
#include <store/library_version.h>
#include <wire/library_version.h>

namespace lockstep::cli {

std::vector<std::pair<std::string, std::string>> libraryVersions() {
    return {{"oneDNN", exec::cpu::oneDnnVersion()},
            {"gRPC", wire::grpcVersion()},
            {"protobuf", wire::protobufVersion()},
            {"SQLite", store::sqliteVersion()},
            {"zlib", zlibLibraryVersion()},
            {"libpng", data::pngLibraryVersion()},
            {"libjpeg-turbo", data::jpegLibraryVersion()},
            {"OpenSSL", opensslLibraryVersion()},
            {"yaml-cpp", spec::yamlCppVersion()},
            {"HDF5", keras::hdf5Version()},
            {"libzip", keras::libzipVersion()}};
}

}  // namespace lockstep::cli
