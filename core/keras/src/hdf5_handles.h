// Owned handles of the HDF5 library, and its one lock.
#pragma once

#include <hdf5.h>

#include <mutex>
#include <string_view>
#include <utility>

namespace lockstep::keras {

template <herr_t (*Close)(hid_t)>
class Hdf5Handle {
public:
    Hdf5Handle() = default;
    explicit Hdf5Handle(hid_t id) : m_id(id) {}
    ~Hdf5Handle() { reset(); }
    Hdf5Handle(Hdf5Handle&& other) noexcept : m_id(std::exchange(other.m_id, H5I_INVALID_HID)) {}
    Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
        std::swap(m_id, other.m_id);
        return *this;
    }
    Hdf5Handle(const Hdf5Handle&) = delete;
    Hdf5Handle& operator=(const Hdf5Handle&) = delete;

    hid_t get() const { return m_id; }
    bool valid() const { return m_id >= 0; }
    void reset() {
        if (m_id >= 0) Close(m_id);
        m_id = H5I_INVALID_HID;
    }

private:
    hid_t m_id = H5I_INVALID_HID;
};

using FileHandle = Hdf5Handle<H5Fclose>;
using GroupHandle = Hdf5Handle<H5Gclose>;
using ObjectHandle = Hdf5Handle<H5Oclose>;
using DatasetHandle = Hdf5Handle<H5Dclose>;
using AttributeHandle = Hdf5Handle<H5Aclose>;
using SpaceHandle = Hdf5Handle<H5Sclose>;
using TypeHandle = Hdf5Handle<H5Tclose>;
using PropertiesHandle = Hdf5Handle<H5Pclose>;

// Held while the library is used: it keeps its state per process. Messages on stderr are off; plug-ins named by the environment are
// never loaded.
std::unique_lock<std::mutex> useHdf5();

// Opens a file that lies in memory, to read it. Nothing is copied: `image` must outlive the handle.
FileHandle openImage(std::string_view image);

// IEEE half precision as NumPy describes it; the library has no ready-made type for it.
TypeHandle halfType();

}  // namespace lockstep::keras
