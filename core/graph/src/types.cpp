#include <graph/types.h>

#include <array>
#include <cstddef>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lockstep::graph {
namespace {

struct DTypeRow {
    DType dtype;
    std::string_view name;
    std::size_t bytes;
};
constexpr std::array<DTypeRow, 5> kDTypes{
    {{DType::F32, "f32", 4}, {DType::F64, "f64", 8}, {DType::I32, "i32", 4}, {DType::BF16, "bf16", 2}, {DType::F16, "f16", 2}}};

}  // namespace

std::size_t sizeOf(DType dtype) { return kDTypes[static_cast<std::size_t>(dtype)].bytes; }

std::string_view nameOf(DType dtype) { return kDTypes[static_cast<std::size_t>(dtype)].name; }

std::optional<DType> dtypeNamed(std::string_view name) {
    for (const auto& row : kDTypes) {
        if (row.name == name) return row.dtype;
    }
    return std::nullopt;
}

std::int64_t Shape::elements() const {
    std::int64_t product = 1;
    for (const std::int64_t dim : m_dims) product *= dim;
    return product;
}

std::string Shape::toText() const { return fmt::format("[{}]", fmt::join(m_dims, ", ")); }

std::string TensorType::toText() const { return std::string(nameOf(dtype)) + shape.toText(); }

}  // namespace lockstep::graph
