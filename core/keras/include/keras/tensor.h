// Tensors as model files keep them: more element types than the engine computes with.
#pragma once

#include <base/result.h>
#include <graph/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace lockstep::keras {

enum class Element : std::uint8_t { F16, BF16, F32, F64, I32, I64 };

std::size_t sizeOf(Element element);       // bytes of one
std::string_view nameOf(Element element);  // Keras' words: "float16", "bfloat16", "float32", "float64", "int32", "int64"

struct Tensor {
    Element element = Element::F32;
    graph::Shape shape;
    std::vector<std::byte> bytes;  // dense, C order, little endian; elements × sizeOf(element) of them
    bool operator==(const Tensor&) const = default;
};

// Bytes that elements of this shape need; nothing when the shape has more than graph::kMaxRank axes, a negative one, or more than
// graph::kMaxElements elements.
std::optional<std::uint64_t> bytesOf(Element element, const graph::Shape& shape);

// The engine's type of the same kind; nothing for the elements it has no type for (16 bits, int64).
std::optional<graph::TensorType> engineType(const Tensor& tensor);

// The values as one of the engine's types, little endian. Floats become floats (narrower ones by rounding to nearest even), whole
// numbers whole numbers. Error C711: between floats and whole numbers, or a number that I32 can't hold.
Result<std::vector<std::byte>> convertTo(graph::DType dtype, const Tensor& tensor);

}  // namespace lockstep::keras
