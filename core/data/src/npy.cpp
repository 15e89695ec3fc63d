#include <data/npy.h>

#include "npy_header.h"
#include "reading.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

namespace lockstep::data {
namespace {

constexpr std::size_t kMostHeader = 64u << 10;
constexpr std::string_view kMagic = "\x93NUMPY";

struct TypeName {
    std::string_view code;
    NumberType type;
};
constexpr std::array<TypeName, 12> kTypes = {{{"b1", NumberType::Bool},
                                              {"u1", NumberType::U8},
                                              {"i1", NumberType::I8},
                                              {"u2", NumberType::U16},
                                              {"i2", NumberType::I16},
                                              {"u4", NumberType::U32},
                                              {"i4", NumberType::I32},
                                              {"u8", NumberType::U64},
                                              {"i8", NumberType::I64},
                                              {"f2", NumberType::F16},
                                              {"f4", NumberType::F32},
                                              {"f8", NumberType::F64}}};

Result<void> readType(const NpyFields& fields, NpyHeader& header, const std::filesystem::path& file) {
    const std::string_view descr = fields.descr;
    const auto refused = [&](std::string what, std::string next) {
        return unsupportedError(file, fields.descrAt, std::move(what), std::move(next));
    };
    if (fields.structured) return refused("an array of records (a structured type)", "Save one array per field.");
    if (descr.ends_with('O'))
        return refused("an array of Python objects", "Save it as numbers: numpy.save(file, array.astype(\"float32\")).");
    const auto found =
        std::find_if(kTypes.begin(), kTypes.end(), [&](const TypeName& type) { return descr.size() == 3 && descr.substr(1) == type.code; });
    const char order = descr.empty() ? '\0' : descr[0];
    if (found == kTypes.end() || std::string_view("<>|=").find(order) == std::string_view::npos)
        return refused("the element type '" + std::string(descr.substr(0, 40)) + "'",
                       "Save it as numbers: numpy.save(file, array.astype(\"float32\")).");
    header.type = found->type;
    header.bigEndian = order == '>';
    return {};
}

Result<void> checkStart(std::span<const std::byte> bytes, const std::filesystem::path& file) {
    const auto magic = std::as_bytes(std::span(kMagic));
    if (bytes.empty()) return formatError(file, 0, "a header of NumPy", "an empty file");
    const std::size_t there = std::min(bytes.size(), magic.size());
    if (!std::equal(magic.begin(), magic.begin() + static_cast<std::ptrdiff_t>(there), bytes.begin()))
        return formatError(file, 0, "0x934e554d5059 (.npy)", hexText(bytes.first(there)), "This is not an .npy file.");
    if (bytes.size() < 10) return formatError(file, bytes.size(), "a header of NumPy", bytesText(bytes.size()), "The file was cut off.");
    const unsigned version = std::to_integer<unsigned>(bytes[6]);
    if (version < 1 || version > 3)
        return unsupportedError(file, 6, "version " + std::to_string(version) + " of the format", "Save it with numpy.save.");
    return {};
}

Error lengthError(const NpyHeader& header, std::uint64_t found, const std::filesystem::path& file) {
    const std::uint64_t whole = header.headerBytes + header.dataBytes;
    if (found < whole)
        return formatError(file, found, bytesText(whole), bytesText(found),
                           "The file was cut off, or its header promises more than it holds.");
    return formatError(file, whole, "the end of the file", "more bytes", "The header promises fewer values than the file holds.");
}

// Values whose first axis varies fastest, into C order.
std::vector<std::byte> toRowMajor(std::span<const std::byte> values, const std::vector<std::int64_t>& shape, std::size_t size) {
    std::vector<std::byte> sorted(values.size());
    std::vector<std::size_t> strides(shape.size()), index(shape.size(), 0);
    std::size_t stride = size;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        strides[axis] = stride;
        stride *= static_cast<std::size_t>(shape[axis]);
    }
    std::size_t from = 0;
    for (std::size_t to = 0; to < sorted.size(); to += size) {
        std::memcpy(sorted.data() + to, values.data() + from, size);
        for (std::size_t axis = shape.size(); axis-- > 0;) {
            from += strides[axis];
            if (++index[axis] < static_cast<std::size_t>(shape[axis])) break;
            from -= index[axis] * strides[axis];
            index[axis] = 0;
        }
    }
    return sorted;
}

}  // namespace

Result<NpyHeader> parseNpyHeader(std::span<const std::byte> bytes, const std::filesystem::path& file) {
    LS_TRY(checkStart(bytes, file));
    const std::size_t prefix = std::to_integer<unsigned>(bytes[6]) == 1 ? 10 : 12;
    if (bytes.size() < prefix) return formatError(file, bytes.size(), bytesText(prefix), bytesText(bytes.size()), "The file was cut off.");
    const std::uint64_t length = loadLittle(bytes.subspan(8), prefix - 8);
    if (length > kMostHeader) return tooLargeError(file, 8, "a header of " + bytesText(length), bytesText(kMostHeader));
    NpyHeader header;
    header.headerBytes = prefix + static_cast<std::size_t>(length);
    if (bytes.size() < header.headerBytes)
        return formatError(file, bytes.size(), "a header of " + bytesText(header.headerBytes), bytesText(bytes.size()),
                           "The file was cut off.");
    const auto text = bytes.subspan(prefix, static_cast<std::size_t>(length));
    LS_TRY_ASSIGN(const NpyFields fields, parseNpyFields({reinterpret_cast<const char*>(text.data()), text.size()}, prefix, file));
    LS_TRY(readType(fields, header, file));
    header.shape = fields.shape;
    header.fortranOrder = fields.fortranOrder;
    const auto total = boundedProduct(header.shape, sizeOf(header.type), kMostValueBytes);
    if (!total)
        return tooLargeError(file, prefix, shapeText(header.shape) + " values of " + bytesText(sizeOf(header.type)),
                             bytesText(kMostValueBytes));
    header.dataBytes = *total;
    return header;
}

Result<NpyArray> readNpy(std::span<const std::byte> file, std::shared_ptr<const void> keepAlive, const std::filesystem::path& fileName) {
    LS_TRY_ASSIGN(const NpyHeader header, parseNpyHeader(file, fileName));
    if (header.headerBytes + header.dataBytes != file.size()) return lengthError(header, file.size(), fileName);
    NpyArray array{header.type, header.shape, file.subspan(header.headerBytes), std::move(keepAlive), false};
    const bool reorder = header.fortranOrder && header.shape.size() > 1, swap = header.bigEndian && sizeOf(header.type) > 1;
    if (!reorder && !swap) return array;
    auto own = std::make_shared<std::vector<std::byte>>();
    if (reorder)
        *own = toRowMajor(array.values, array.shape, sizeOf(array.type));
    else
        own->assign(array.values.begin(), array.values.end());
    if (swap) swapBytes(*own, sizeOf(array.type));
    array.values = *own;
    array.keepAlive = std::move(own);
    array.copied = true;
    return array;
}

Result<NpyArray> openNpy(const std::filesystem::path& file) {
    LS_TRY_ASSIGN(MappedFile mapped, MappedFile::open(file));
    auto kept = std::make_shared<const MappedFile>(std::move(mapped));
    const auto bytes = kept->bytes();
    return readNpy(bytes, std::move(kept), file);
}

}  // namespace lockstep::data
