#include "predict_input.h"

#include <base/units.h>
#include <cluster/inventory.h>
#include <data/image.h>
#include <data/npy.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <functional>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;
using Shape = std::vector<std::int64_t>;

constexpr std::size_t kLongestHeader = 1u << 17;
constexpr std::uint64_t kMostPictureFile = std::uint64_t{256} << 20;

std::string textOf(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }
std::string rowsText(const Shape& row) { return row.empty() ? "[rows]" : fmt::format("[rows, {}]", fmt::join(row, ", ")); }

std::int64_t productOf(const Shape& shape) { return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>()); }

Error misfit(const fs::path& file, std::string what, const Shape& row) {
    return makeError("F645", {{"file", file.string()}, {"what", std::move(what)}, {"model", rowsText(row)}});
}

// How many rows an array of that shape is. A last axis of 1 may be left out, as the readers of training data allow for grey pictures.
Result<std::int64_t> rowsOf(const fs::path& file, const Shape& found, const WantedRows& wanted) {
    Shape thin = wanted.shape;
    if (thin.size() > 1 && thin.back() == 1) thin.pop_back();
    if (found == wanted.shape || found == thin) return std::int64_t{1};
    const Shape row(found.empty() ? found.begin() : found.begin() + 1, found.end());
    if (!found.empty() && (row == wanted.shape || row == thin || (wanted.reshaped && productOf(row) == productOf(wanted.shape))))
        return found[0];
    if (found.size() != wanted.shape.size() + 1)
        return misfit(file,
                      fmt::format("its shape is {}: {} axes, where {} are needed", textOf(found), found.size(), wanted.shape.size() + 1),
                      wanted.shape);
    for (std::size_t axis = 0; axis < wanted.shape.size(); ++axis)
        if (row[axis] != wanted.shape[axis])
            return misfit(
                file, fmt::format("its shape is {}: axis {} is {} instead of {}", textOf(found), axis + 1, row[axis], wanted.shape[axis]),
                wanted.shape);
    return found[0];
}

Result<void> checkMemory(const fs::path& file, std::uint64_t bytes) {
    const std::uint64_t available = cluster::availableMemory();
    if (bytes <= available) return {};
    return makeError("M901", {{"what", "the array of " + file.string()},
                              {"size", formatBytes(bytes)},
                              {"reason", formatBytes(available) + " are available here; save it as .npy in C order to have it mapped."}});
}

// As much as a header may be.
Result<std::string> startOf(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return makeError("F602", {{"file", path.string()}, {"reason", systemText(errno)}});
    std::string start(kLongestHeader, '\0');
    file.read(start.data(), static_cast<std::streamsize>(start.size()));
    start.resize(static_cast<std::size_t>(file.gcount()));
    return start;
}

class ArrayInput : public PredictInput {
public:
    ArrayInput(data::NpyArray array, std::int64_t rows, WantedRows wanted)
        : m_array(std::move(array)), m_rows(rows), m_wanted(std::move(wanted)), m_bytes(m_array.type == data::NumberType::U8) {}

    std::int64_t rows() const override { return m_rows; }

    Result<data::Split> read(std::int64_t first, std::int64_t count) override {
        data::Split split;
        split.featureShape = m_wanted.shape;
        split.rows = count;
        const auto elements = static_cast<std::size_t>(split.rowElements());
        const std::size_t size = data::sizeOf(m_array.type);
        const auto values =
            m_array.values.subspan(static_cast<std::size_t>(first) * elements * size, static_cast<std::size_t>(count) * elements * size);
        split.element = m_bytes ? data::Element::U8 : data::Element::F32;
        if (m_bytes) {
            split.features = values;
            return split;
        }
        m_floats.resize(static_cast<std::size_t>(count) * elements);
        data::toFloats(values, m_array.type, m_floats.data());
        if (m_wanted.bytes)
            for (const float value : m_floats) m_most = std::max(m_most, value);
        split.features = std::as_bytes(std::span(m_floats));
        return split;
    }

    std::vector<std::string> notes() const override {
        if (m_bytes && !m_wanted.bytes) return {"The run was trained on numbers; the input's bytes are taken as pictures: value / 255."};
        if (!m_bytes && m_wanted.bytes && m_most > kWhite)
            return {
                fmt::format("The run was trained on pictures of bytes, seen as value / 255; the input is {} up to {:g} and taken as it is. "
                            "Save it as uint8, or divide it.",
                            data::nameOf(m_array.type), m_most)};
        return {};
    }

private:
    static constexpr float kWhite = 1.5F;

    data::NpyArray m_array;
    std::int64_t m_rows;
    WantedRows m_wanted;
    bool m_bytes;
    float m_most = 0;
    std::vector<float> m_floats;
};

Result<std::unique_ptr<PredictInput>> openArray(const fs::path& path, const WantedRows& wanted) {
    data::NpyArray array;
    if (path.extension() == ".npz") {
        LS_TRY_ASSIGN(const auto archive, data::NpzFile::open(path));
        const auto& members = archive.members();
        const auto member = std::ranges::find(members, "x", &data::NpzFile::Member::name);
        if (member == members.end()) {
            std::string names;
            for (const auto& one : members) names += (names.empty() ? "" : ", ") + one.name;
            return makeError("F624",
                             {{"file", path.string()}, {"kind", "array"}, {"name", "x"}, {"names", names.empty() ? "none" : names}});
        }
        LS_TRY_ASSIGN(const auto header, archive.header(*member));
        LS_TRY(rowsOf(path, header.shape, wanted));
        LS_TRY(checkMemory(path, header.dataBytes));
        LS_TRY_ASSIGN(array, archive.read(*member));
    } else {
        LS_TRY_ASSIGN(const std::string start, startOf(path));
        LS_TRY_ASSIGN(const auto header, data::parseNpyHeader(std::as_bytes(std::span(start)), path));
        LS_TRY(rowsOf(path, header.shape, wanted));
        if (header.fortranOrder || header.bigEndian) LS_TRY(checkMemory(path, header.dataBytes));
        LS_TRY_ASSIGN(array, data::openNpy(path));
    }
    LS_TRY_ASSIGN(const std::int64_t rows, rowsOf(path, array.shape, wanted));
    if (rows == 0) return misfit(path, "it has no rows", wanted.shape);
    return std::unique_ptr<PredictInput>(std::make_unique<ArrayInput>(std::move(array), rows, wanted));
}

bool isPicture(const fs::path& file) {
    std::string end = file.extension().string();
    std::ranges::transform(end, end.begin(), [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    return end == ".png" || end == ".jpg" || end == ".jpeg";
}

class PictureInput : public PredictInput {
public:
    PictureInput(fs::path folder, std::vector<fs::path> files, WantedRows wanted)
        : m_folder(std::move(folder)), m_files(std::move(files)), m_wanted(std::move(wanted)) {}

    std::int64_t rows() const override { return static_cast<std::int64_t>(m_files.size()); }
    std::string nameOf(std::int64_t row) const override { return m_files[static_cast<std::size_t>(row)].string(); }

    Result<data::Split> read(std::int64_t first, std::int64_t count) override {
        data::Split split;
        split.featureShape = m_wanted.shape;
        split.rows = count;
        const auto rowBytes = static_cast<std::size_t>(split.rowElements());
        m_pixels.resize(static_cast<std::size_t>(count) * rowBytes);
        for (std::int64_t row = 0; row < count; ++row)
            LS_TRY(decode(m_folder / m_files[static_cast<std::size_t>(first + row)],
                          m_pixels.data() + static_cast<std::size_t>(row) * rowBytes));
        split.features = m_pixels;
        return split;
    }

    std::vector<std::string> notes() const override {
        std::vector<std::string> notes;
        if (m_resized > 0)
            notes.push_back(
                fmt::format("{} of {} pictures were resized to {} × {}.", m_resized, m_files.size(), m_wanted.shape[0], m_wanted.shape[1]));
        if (!m_wanted.bytes) notes.emplace_back("The run was trained on numbers; pictures are taken as value / 255.");
        return notes;
    }

private:
    Result<void> decode(const fs::path& file, std::byte* into) {
        LS_TRY_ASSIGN(const std::string bytes, readFile(file, kMostPictureFile));
        LS_TRY_ASSIGN(data::Image image, data::decodeImage(std::as_bytes(std::span(bytes)), file));
        if (image.shape.height != m_wanted.shape[0] || image.shape.width != m_wanted.shape[1]) ++m_resized;
        const auto channels = static_cast<int>(m_wanted.shape[2]);
        const data::Image made = data::resizeToBytes(data::toChannels(std::move(image), channels), m_wanted.shape[0], m_wanted.shape[1]);
        std::memcpy(into, made.values.data(), made.values.size());
        return {};
    }

    fs::path m_folder;
    std::vector<fs::path> m_files;  // relative to it
    WantedRows m_wanted;
    std::vector<std::byte> m_pixels;
    std::int64_t m_resized = 0;
};

Result<std::unique_ptr<PredictInput>> openPictures(const fs::path& path, bool folder, const WantedRows& wanted) {
    const Shape& row = wanted.shape;
    if (row.size() != 3 || (row[2] != 1 && row[2] != 3)) return misfit(path, "these are pictures", row);
    std::vector<fs::path> files;
    if (!folder) files.push_back(path.filename());
    std::error_code status;
    for (fs::recursive_directory_iterator entry(path, status), end; folder && !status && entry != end; entry.increment(status)) {
        std::error_code ignored;
        const bool hidden = entry->path().filename().string().starts_with('.');
        if (hidden && entry->is_directory(ignored)) entry.disable_recursion_pending();
        if (!hidden && entry->is_regular_file(ignored) && isPicture(entry->path())) files.push_back(entry->path().lexically_relative(path));
    }
    if (folder && status) return makeError("F602", {{"file", path.string()}, {"reason", status.message()}});
    if (files.empty()) return makeError("F646", {{"file", path.string()}, {"what", "it holds no pictures (.png, .jpg, .jpeg)"}});
    std::ranges::sort(files);
    return std::unique_ptr<PredictInput>(std::make_unique<PictureInput>(folder ? path : path.parent_path(), std::move(files), wanted));
}

}  // namespace

Result<std::unique_ptr<PredictInput>> openPredictInput(const fs::path& path, const WantedRows& wanted) {
    std::error_code status;
    if (!fs::exists(path, status)) return makeError("F602", {{"file", path.string()}, {"reason", "there is no such file"}});
    if (fs::is_directory(path, status)) return openPictures(path, true, wanted);
    if (path.extension() == ".npy" || path.extension() == ".npz") return openArray(path, wanted);
    if (isPicture(path)) return openPictures(path, false, wanted);
    return makeError("F646", {{"file", path.string()}, {"what", "its name ends in none of .npy, .npz, .png, .jpg, .jpeg"}});
}

}  // namespace lockstep::cli
