#include "weights.h"

#include "hdf5_handles.h"

#include <array>

namespace lockstep::keras {
namespace {

Error refused(const std::string& what) { return makeError("F659", {{"what", what}}); }

TypeHandle fileType(Element element) {
    switch (element) {
        case Element::F32: return TypeHandle(H5Tcopy(H5T_IEEE_F32LE));
        case Element::F64: return TypeHandle(H5Tcopy(H5T_IEEE_F64LE));
        case Element::I32: return TypeHandle(H5Tcopy(H5T_STD_I32LE));
        case Element::I64: return TypeHandle(H5Tcopy(H5T_STD_I64LE));
        case Element::BF16: {
            TypeHandle type(H5Tcreate(H5T_OPAQUE, 2));
            H5Tset_tag(type.get(), "");
            return type;
        }
        case Element::F16: break;
    }
    return halfType();
}

bool writeText(hid_t object, const char* name, const std::string& text) {
    const TypeHandle type(H5Tcopy(H5T_C_S1));
    H5Tset_size(type.get(), H5T_VARIABLE);
    H5Tset_cset(type.get(), H5T_CSET_UTF8);
    const SpaceHandle scalar(H5Screate(H5S_SCALAR));
    const AttributeHandle attribute(H5Acreate2(object, name, type.get(), scalar.get(), H5P_DEFAULT, H5P_DEFAULT));
    const char* value = text.c_str();
    return attribute.valid() && H5Awrite(attribute.get(), type.get(), &value) >= 0;
}

bool writeTensor(hid_t group, const std::string& name, const Tensor& tensor) {
    std::array<hsize_t, graph::kMaxRank> dims{};
    for (std::size_t i = 0; i < tensor.shape.rank(); ++i) dims[i] = static_cast<hsize_t>(tensor.shape[i]);
    const SpaceHandle space(tensor.shape.rank() == 0 ? H5Screate(H5S_SCALAR)
                                                     : H5Screate_simple(static_cast<int>(tensor.shape.rank()), dims.data(), nullptr));
    const TypeHandle type = fileType(tensor.element);
    // Equal values give equal bytes: no times.
    const PropertiesHandle properties(H5Pcreate(H5P_DATASET_CREATE));
    H5Pset_obj_track_times(properties.get(), 0);
    const DatasetHandle dataset(H5Dcreate2(group, name.c_str(), type.get(), space.get(), H5P_DEFAULT, properties.get(), H5P_DEFAULT));
    if (!dataset.valid()) return false;
    if (!tensor.bytes.empty() && H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, tensor.bytes.data()) < 0) return false;
    return tensor.element != Element::BF16 || writeText(dataset.get(), "dtype", "bfloat16");
}

Result<void> checkGroup(const WeightGroup& group) {
    for (std::size_t at = 0; at < group.path.size();) {
        const std::size_t end = std::min(group.path.find('/', at), group.path.size());
        const std::string_view part = std::string_view(group.path).substr(at, end - at);
        if (!isGroupName(part) || part == "vars" || end + 1 == group.path.size())
            return refused("\"" + group.path + "\" is no path of a group");
        at = end + 1;
    }
    if (group.layerName.find('\0') != std::string::npos) return refused("the name of group " + group.path + " is no text");
    for (const Tensor& tensor : group.tensors)
        if (bytesOf(tensor.element, tensor.shape) != tensor.bytes.size())
            return refused("a variable of group " + group.path + " has " + std::to_string(tensor.bytes.size()) +
                           " bytes, which does not fit its shape " + tensor.shape.toText());
    return {};
}

Result<void> writeGroup(hid_t file, const std::string& parent, const WeightGroup& group) {
    LS_TRY(checkGroup(group));
    const PropertiesHandle links(H5Pcreate(H5P_LINK_CREATE));
    H5Pset_create_intermediate_group(links.get(), 1);
    const std::string path = parent + (group.path.empty() ? "" : "/" + group.path) + "/vars";
    const GroupHandle made(H5Gcreate2(file, path.c_str(), links.get(), H5P_DEFAULT, H5P_DEFAULT));
    if (!made.valid()) return refused("there are two groups \"" + group.path + "\"");
    if (!group.layerName.empty() && !writeText(made.get(), "name", group.layerName)) return refused("group " + path + " can't be named");
    for (std::size_t i = 0; i < group.tensors.size(); ++i)
        if (!writeTensor(made.get(), std::to_string(i), group.tensors[i])) return refused("variable " + path + "/" + std::to_string(i));
    return {};
}

}  // namespace

Result<std::vector<std::byte>> printWeights(const std::vector<WeightGroup>& groups, const std::vector<WeightGroup>& optimizer) {
    const auto lock = useHdf5();
    const PropertiesHandle access(H5Pcreate(H5P_FILE_ACCESS));
    H5Pset_fapl_core(access.get(), 1 << 20, 0);  // in memory only
    const FileHandle file(H5Fcreate("model.weights.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access.get()));
    if (!file.valid()) return refused("there is no memory for the weights");
    bool ownVariables = false;
    for (const WeightGroup& group : groups) {
        ownVariables = ownVariables || group.path.empty();
        LS_TRY(writeGroup(file.get(), group.path.empty() ? "" : "/layers", group));
    }
    // Keras makes these two for every model.
    if (!ownVariables) LS_TRY(writeGroup(file.get(), "", {}));
    if (H5Lexists(file.get(), "layers", H5P_DEFAULT) <= 0)
        if (!GroupHandle(H5Gcreate2(file.get(), "/layers", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)).valid()) return refused("group /layers");
    for (const WeightGroup& group : optimizer) LS_TRY(writeGroup(file.get(), "/optimizer", group));
    if (H5Fflush(file.get(), H5F_SCOPE_GLOBAL) < 0) return refused("there is no memory for the weights");
    const ssize_t size = H5Fget_file_image(file.get(), nullptr, 0);
    std::vector<std::byte> image(size > 0 ? static_cast<std::size_t>(size) : 0);
    if (size <= 0 || H5Fget_file_image(file.get(), image.data(), image.size()) != size)
        return refused("there is no memory for the weights");
    return image;
}

}  // namespace lockstep::keras
