// Element types and shapes of the tensors a graph speaks of. Tensors are dense, row-major (C order); pictures are NHWC, filters HWIO,
// dense kernels [in, out], as Keras keeps them. Values, thread safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep::graph {

// BF16 and F16 are for values on the way only: what is kept, summed over ranks or a loss is F32 or F64 (op.h).
enum class DType : std::uint8_t { F32, F64, I32, BF16, F16 };

std::size_t sizeOf(DType dtype);       // bytes of one element
std::string_view nameOf(DType dtype);  // "f32", "f64", "i32", "bf16", "f16"
std::optional<DType> dtypeNamed(std::string_view name);
inline bool isFloat(DType dtype) { return dtype != DType::I32; }
inline bool is16Bit(DType dtype) { return dtype == DType::BF16 || dtype == DType::F16; }
// What sums and factors beside a tensor of this type are kept in: F32 for a 16-bit one, else the type itself.
inline DType wideOf(DType dtype) { return is16Bit(dtype) ? DType::F32 : dtype; }

// Largest rank and number of elements of a tensor; the type rules refuse more.
inline constexpr std::size_t kMaxRank = 8;
inline constexpr std::int64_t kMaxElements = std::int64_t{1} << 40;

class Shape {
public:
    Shape() = default;  // scalar
    Shape(std::initializer_list<std::int64_t> dims) : m_dims(dims) {}
    explicit Shape(std::vector<std::int64_t> dims) : m_dims(std::move(dims)) {}

    std::size_t rank() const { return m_dims.size(); }
    std::int64_t operator[](std::size_t axis) const { return m_dims[axis]; }
    std::int64_t back() const { return m_dims.back(); }
    const std::vector<std::int64_t>& dims() const { return m_dims; }
    std::int64_t elements() const;  // product; 1 for a scalar
    std::string toText() const;     // "[32, 784]", "[]"
    bool operator==(const Shape&) const = default;

private:
    std::vector<std::int64_t> m_dims;
};

struct TensorType {
    DType dtype = DType::F32;
    Shape shape;
    std::size_t bytes() const { return static_cast<std::size_t>(shape.elements()) * sizeOf(dtype); }
    std::string toText() const;  // "f32[32, 784]"
    bool operator==(const TensorType&) const = default;
};

}  // namespace lockstep::graph
