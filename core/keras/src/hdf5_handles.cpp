#include "hdf5_handles.h"

namespace lockstep::keras {
namespace {

// The library asks for memory for its copies of an image; it gets the image itself, which it only reads.
void* giveImage(std::size_t, H5FD_file_image_op_t, void* image) { return image; }
void* keepImage(void* to, const void*, std::size_t, H5FD_file_image_op_t, void*) { return to; }
void* refuseToGrow(void*, std::size_t, H5FD_file_image_op_t, void*) { return nullptr; }
herr_t leaveImage(void*, H5FD_file_image_op_t, void*) { return 0; }
void* shareImage(void* image) { return image; }
herr_t leaveShared(void*) { return 0; }

}  // namespace

std::unique_lock<std::mutex> useHdf5() {
    static std::mutex one;  // the library's own state is one per process
    std::unique_lock lock(one);
    H5open();
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    H5PLset_loading_state(0);
    return lock;
}

FileHandle openImage(std::string_view image) {
    char* data = const_cast<char*>(image.data());
    H5FD_file_image_callbacks_t callbacks{giveImage, keepImage, refuseToGrow, leaveImage, shareImage, leaveShared, data};
    const PropertiesHandle access(H5Pcreate(H5P_FILE_ACCESS));
    constexpr std::size_t kStep = 1 << 16;
    if (image.empty() || H5Pset_fapl_core(access.get(), kStep, 0) < 0 || H5Pset_file_image_callbacks(access.get(), &callbacks) < 0 ||
        H5Pset_file_image(access.get(), data, image.size()) < 0)
        return FileHandle();
    return FileHandle(H5Fopen("model.weights.h5", H5F_ACC_RDONLY, access.get()));
}

TypeHandle halfType() {
    TypeHandle type(H5Tcopy(H5T_IEEE_F32LE));
    H5Tset_fields(type.get(), 15, 10, 5, 0, 10);
    H5Tset_size(type.get(), 2);
    H5Tset_ebias(type.get(), 15);
    return type;
}

}  // namespace lockstep::keras
