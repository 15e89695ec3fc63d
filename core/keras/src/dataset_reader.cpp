#include "dataset_reader.h"

#include <base/units.h>

#include <array>
#include <cstring>
#include <vector>

namespace lockstep::keras {
namespace {

constexpr std::size_t kMostTextBytes = 1024;

std::optional<Element> elementOf(hid_t dataset, hid_t type, std::string& reason) {
    const auto is = [type](hid_t known) { return H5Tequal(type, known) > 0; };
    if (is(H5T_IEEE_F32LE)) return Element::F32;
    if (is(H5T_IEEE_F64LE)) return Element::F64;
    if (is(H5T_STD_I64LE)) return Element::I64;
    if (is(H5T_STD_I32LE)) return Element::I32;
    if (const TypeHandle half = halfType(); is(half.get())) return Element::F16;
    const bool opaquePair = H5Tget_class(type) == H5T_OPAQUE && H5Tget_size(type) == 2;
    if (opaquePair && readTextAttribute(dataset, "dtype", reason) == "bfloat16") return Element::BF16;
    if (reason.empty())
        reason = "has values of a type that is neither float16, bfloat16, float32, float64, int32 nor int64 (little endian)";
    return std::nullopt;
}

std::optional<graph::Shape> shapeOf(hid_t dataset, std::string& reason) {
    const SpaceHandle space(H5Dget_space(dataset));
    const int rank = space.valid() ? H5Sget_simple_extent_ndims(space.get()) : -1;
    const auto kind = space.valid() ? H5Sget_simple_extent_type(space.get()) : H5S_NO_CLASS;
    if (rank < 0 || (kind != H5S_SCALAR && kind != H5S_SIMPLE)) {
        reason = "has no shape";
        return std::nullopt;
    }
    std::array<hsize_t, H5S_MAX_RANK> dims{};
    if (static_cast<std::size_t>(rank) > graph::kMaxRank || H5Sget_simple_extent_dims(space.get(), dims.data(), nullptr) < 0) {
        reason = "has " + std::to_string(rank) + " axes";
        return std::nullopt;
    }
    std::vector<std::int64_t> axes;
    for (int i = 0; i < rank; ++i)
        axes.push_back(dims[static_cast<std::size_t>(i)] > static_cast<hsize_t>(graph::kMaxElements)
                           ? -1
                           : static_cast<std::int64_t>(dims[static_cast<std::size_t>(i)]));
    return graph::Shape(std::move(axes));
}

// Whether the values stand in this file, as they are.
bool isPlain(hid_t dataset, std::string& reason) {
    const PropertiesHandle properties(H5Dget_create_plist(dataset));
    if (!properties.valid()) return reason = "has no description", false;
    const H5D_layout_t layout = H5Pget_layout(properties.get());
    if (layout == H5D_VIRTUAL) return reason = "is virtual: its values stand in other files", false;
    if (layout != H5D_CONTIGUOUS && layout != H5D_COMPACT) return reason = "is stored in pieces, which Keras never does", false;
    if (H5Pget_external_count(properties.get()) != 0) return reason = "has its values in other files", false;
    if (H5Pget_nfilters(properties.get()) != 0) return reason = "is compressed, which Keras never does", false;
    return true;
}

}  // namespace

std::optional<Tensor> readDataset(hid_t dataset, std::uint64_t& left, std::string& reason) {
    if (!isPlain(dataset, reason)) return std::nullopt;
    const TypeHandle type(H5Dget_type(dataset));
    const auto element = elementOf(dataset, type.get(), reason);
    if (!element) return std::nullopt;
    const auto shape = shapeOf(dataset, reason);
    if (!shape) return std::nullopt;
    const auto needed = bytesOf(*element, *shape);
    const std::uint64_t stored = H5Dget_storage_size(dataset);
    if (!needed || *needed > left || *needed != stored) {
        reason = "claims the shape " + shape->toText() + ", for which " + formatBytes(stored) + " are stored of the " + formatBytes(left) +
                 " that are left of the file";
        return std::nullopt;
    }
    Tensor tensor{*element, *shape, std::vector<std::byte>(static_cast<std::size_t>(*needed))};
    if (*needed > 0 && H5Dread(dataset, type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, tensor.bytes.data()) < 0) {
        reason = "can't be read";
        return std::nullopt;
    }
    left -= *needed;
    return tensor;
}

std::optional<std::string> readTextAttribute(hid_t object, const char* name, std::string& reason) {
    if (H5Aexists(object, name) <= 0) return std::nullopt;
    const auto malformed = [&] {
        reason = "has an attribute " + std::string(name) + " that is no text";
        return std::nullopt;
    };
    const AttributeHandle attribute(H5Aopen(object, name, H5P_DEFAULT));
    if (!attribute.valid()) return malformed();
    const TypeHandle type(H5Aget_type(attribute.get()));
    const SpaceHandle space(H5Aget_space(attribute.get()));
    if (!type.valid() || H5Tget_class(type.get()) != H5T_STRING || !space.valid() || H5Sget_simple_extent_npoints(space.get()) != 1)
        return malformed();
    std::string text;
    if (H5Tis_variable_str(type.get()) > 0) {
        char* value = nullptr;
        if (H5Aread(attribute.get(), type.get(), &value) < 0 || value == nullptr) return malformed();
        text.assign(value, ::strnlen(value, kMostTextBytes));
        H5free_memory(value);
    } else {
        const std::size_t size = H5Tget_size(type.get());
        if (size > kMostTextBytes) return malformed();
        text.resize(size);
        if (H5Aread(attribute.get(), type.get(), text.data()) < 0) return malformed();
        text.resize(::strnlen(text.data(), size));
    }
    return text;
}

}  // namespace lockstep::keras
