#include <data/cifar.h>

#include "reading.h"

namespace lockstep::data {
namespace {

std::size_t labelsOf(CifarKind kind) { return kind == CifarKind::Ten ? 1 : 2; }
std::size_t recordBytes(CifarKind kind) { return labelsOf(kind) + 3 * kCifarPixels; }

Error labelError(const std::filesystem::path& file, std::int64_t row, std::uint64_t offset, int label, int classes) {
    return makeError("F613", {{"file", file.string()},
                              {"row", std::to_string(row)},
                              {"offset", std::to_string(offset)},
                              {"label", std::to_string(label)},
                              {"classes", std::to_string(classes)}});
}

Error lengthError(const std::filesystem::path& file, std::uint64_t bytes, std::size_t record) {
    if (bytes == 0) return formatError(file, 0, "records of " + bytesText(record), "an empty file");
    return formatError(file, bytes, bytesText((bytes / record + 1) * record), bytesText(bytes),
                       "The file was cut off, or it is no file of this data set.");
}

}  // namespace

Result<std::int64_t> countCifarRows(const std::filesystem::path& file, CifarKind kind) {
    LS_TRY_ASSIGN(const MappedFile mapped, MappedFile::open(file));
    const std::size_t bytes = mapped.bytes().size(), record = recordBytes(kind);
    if (bytes == 0 || bytes % record != 0) return lengthError(file, bytes, record);
    return static_cast<std::int64_t>(bytes / record);
}

Result<void> readCifar(const std::filesystem::path& file, CifarKind kind, const std::function<Result<void>(const CifarRow&)>& sink) {
    LS_TRY_ASSIGN(const MappedFile mapped, MappedFile::open(file));
    const auto bytes = mapped.bytes();
    const std::size_t record = recordBytes(kind), labels = labelsOf(kind);
    if (bytes.empty() || bytes.size() % record != 0) return lengthError(file, bytes.size(), record);
    for (std::size_t at = 0; at < bytes.size(); at += record) {
        CifarRow row;
        row.label = std::to_integer<std::int32_t>(bytes[at + labels - 1]);
        row.coarse = kind == CifarKind::Hundred ? std::to_integer<std::int32_t>(bytes[at]) : 0;
        const auto number = static_cast<std::int64_t>(at / record);
        if (row.label >= classesOf(kind)) return labelError(file, number, at + labels - 1, row.label, classesOf(kind));
        if (row.coarse >= 20) return labelError(file, number, at, row.coarse, 20);
        row.planes = bytes.subspan(at + labels, 3 * kCifarPixels);
        LS_TRY(sink(row));
    }
    return {};
}

void cifarToRows(std::span<const std::byte> planes, std::byte* into) {
    const std::byte* const red = planes.data();
    for (std::size_t i = 0; i < kCifarPixels; ++i) {
        into[3 * i] = red[i];
        into[3 * i + 1] = red[i + kCifarPixels];
        into[3 * i + 2] = red[i + 2 * kCifarPixels];
    }
}

}  // namespace lockstep::data
