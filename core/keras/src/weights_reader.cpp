#include "weights.h"

#include "dataset_reader.h"
#include "hdf5_handles.h"
#include "json.h"

#include <algorithm>
#include <charconv>

namespace lockstep::keras {
namespace {

struct Child {
    std::string name;
    H5L_type_t link;
};

struct Listing {
    std::vector<Child> children;
    std::size_t most;
};

// C code calls it: nothing may be thrown through.
herr_t addChild(hid_t, const char* name, const H5L_info_t* info, void* to) noexcept {
    auto& listing = *static_cast<Listing*>(to);
    if (listing.children.size() >= listing.most) return -1;
    try {
        listing.children.push_back({name, info->type});
    } catch (...) {
        return -1;
    }
    return 0;
}

class WeightsReader {
public:
    WeightsReader(std::string file, std::uint64_t size) : m_file(std::move(file)), m_left(size) {}

    Result<Weights> read(hid_t root) {
        Weights weights;
        LS_TRY(expect(root, "/"));
        LS_TRY_ASSIGN(const auto children, list(root, "/"));
        for (const Child& child : children) {
            const std::string where = "/" + printable(child.name);
            if (child.name == "vars") {
                LS_TRY_ASSIGN(auto own, readGroup(root, "", "/"));
                if (!own.tensors.empty()) weights.groups.push_back(std::move(own));
            } else if (child.name == "layers" || child.name == "_layer_checkpoint_dependencies") {  // the latter by tf_keras
                LS_TRY(collect(root, child.name, "", where, 1, weights.groups));
            } else if (child.name == "optimizer") {
                LS_TRY(collect(root, child.name, "", where, 1, weights.optimizer));
            }
        }
        return weights;
    }

private:
    Error damaged(const std::string& where, const std::string& what) const {
        return makeError("F651", {{"file", m_file}, {"what", where + " " + what}});
    }

    Result<void> expect(hid_t object, const std::string& where) const {
        if (object < 0 || H5Iget_type(object) != H5I_GROUP) return damaged(where, "is no group");
        return {};
    }

    // The names in a group, all of them plain links.
    Result<std::vector<Child>> list(hid_t group, const std::string& where) {
        Listing listing{{}, m_objectsLeft};
        hsize_t next = 0;
        if (H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, &next, addChild, &listing) < 0)
            return damaged(where, listing.children.size() >= listing.most ? "has too many members" : "can't be listed");
        m_objectsLeft -= listing.children.size();
        for (const Child& child : listing.children) {
            if (!isGroupName(child.name)) return damaged(where, "has a member with the name \"" + printable(child.name) + "\"");
            if (child.link != H5L_TYPE_HARD)
                return damaged(where, "has a member " + child.name + " that is a link to another place or file");
        }
        return std::move(listing.children);
    }

    Result<ObjectHandle> open(hid_t group, const std::string& name, const std::string& where) const {
        ObjectHandle object(H5Oopen(group, name.c_str(), H5P_DEFAULT));
        if (!object.valid()) return damaged(where, "can't be opened");
        return object;
    }

    // A group that may have variables, and the groups inside it.
    Result<void> collect(hid_t parent, const std::string& name, const std::string& path, const std::string& where, std::size_t depth,
                         std::vector<WeightGroup>& to) {
        if (depth > kMostGroupDepth) return damaged(where, "is nested too deeply");
        LS_TRY_ASSIGN(const auto group, open(parent, name, where));
        LS_TRY(expect(group.get(), where));
        LS_TRY_ASSIGN(const auto children, list(group.get(), where));
        for (const Child& child : children)
            if (child.name == "vars") {
                LS_TRY_ASSIGN(auto own, readGroup(group.get(), path, where));
                to.push_back(std::move(own));
            }
        for (const Child& child : children) {
            if (child.name == "vars") continue;
            const std::string inner = path.empty() ? child.name : path + "/" + child.name;
            LS_TRY(collect(group.get(), child.name, inner, where + "/" + child.name, depth + 1, to));
        }
        return {};
    }

    // The datasets "0", "1", … of the group "vars".
    Result<WeightGroup> readGroup(hid_t parent, const std::string& path, const std::string& owner) {
        const std::string where = owner == "/" ? "/vars" : owner + "/vars";
        LS_TRY_ASSIGN(const auto vars, open(parent, "vars", where));
        LS_TRY(expect(vars.get(), where));
        WeightGroup group{path, {}, {}};
        std::string reason;
        if (auto name = readTextAttribute(vars.get(), "name", reason)) group.layerName = std::move(*name);
        if (!reason.empty()) return damaged(where, reason);
        LS_TRY_ASSIGN(const auto children, list(vars.get(), where));
        std::vector<std::optional<Tensor>> found(children.size());
        for (const Child& child : children) {
            const std::string place = where + "/" + child.name;
            std::size_t index = 0;
            const auto [end, status] = std::from_chars(child.name.data(), child.name.data() + child.name.size(), index);
            if (status != std::errc() || *end != '\0' || index >= found.size() || found[index])
                return damaged(place, "is no index of the variables 0 to " + std::to_string(children.size() - 1));
            LS_TRY_ASSIGN(found[index], readVariable(vars.get(), child.name, place));
        }
        for (auto& tensor : found) group.tensors.push_back(std::move(*tensor));
        return group;
    }

    Result<Tensor> readVariable(hid_t group, const std::string& name, const std::string& where) {
        LS_TRY_ASSIGN(const auto object, open(group, name, where));
        if (H5Iget_type(object.get()) != H5I_DATASET) return damaged(where, "is no dataset");
        std::string reason;
        auto tensor = readDataset(object.get(), m_left, reason);
        if (!tensor) return damaged(where, reason);
        return std::move(*tensor);
    }

    std::string m_file;
    std::uint64_t m_left;  // bytes that tensors may still take
    std::size_t m_objectsLeft = kMostObjects;
};

}  // namespace

bool isGroupName(std::string_view name) {
    constexpr std::size_t kMost = 128;
    return !name.empty() && name.size() <= kMost && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    });
}

Result<Weights> readWeights(std::string_view content, const std::string& file) {
    const auto lock = useHdf5();
    const FileHandle opened = openImage(content);
    if (!opened.valid()) return makeError("F651", {{"file", file}, {"what", "model.weights.h5 is no HDF5 file, or its start is damaged"}});
    const GroupHandle root(H5Gopen2(opened.get(), "/", H5P_DEFAULT));
    return WeightsReader(file, content.size()).read(root.get());
}

}  // namespace lockstep::keras
