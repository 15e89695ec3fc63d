#include <keras/tensor.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace lockstep::keras {
namespace {

struct ElementRow {
    std::string_view name;
    std::size_t bytes;
};
constexpr std::array<ElementRow, 6> kElements{
    {{"float16", 2}, {"bfloat16", 2}, {"float32", 4}, {"float64", 8}, {"int32", 4}, {"int64", 8}}};

bool isFloat(Element element) { return element != Element::I32 && element != Element::I64; }

template <class T>
T load(const std::byte* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

double halfToDouble(std::uint16_t bits) {
    const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
    const int exponent = (bits >> 10) & 31;
    const int fraction = bits & 1023;
    if (exponent == 31) return fraction == 0 ? sign * INFINITY : NAN;
    return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

double floatAt(Element element, const std::byte* from) {
    switch (element) {
        case Element::F16: return halfToDouble(load<std::uint16_t>(from));
        case Element::BF16: return std::bit_cast<float>(std::uint32_t{load<std::uint16_t>(from)} << 16);
        case Element::F32: return load<float>(from);
        default: return load<double>(from);
    }
}

template <class T>
void storeFloats(const Tensor& tensor, std::vector<std::byte>& out) {
    const std::size_t width = sizeOf(tensor.element);
    for (std::size_t i = 0; i * width < tensor.bytes.size(); ++i) {
        const T value = static_cast<T>(floatAt(tensor.element, tensor.bytes.data() + i * width));
        std::memcpy(out.data() + i * sizeof value, &value, sizeof value);
    }
}

Error unfit(const std::string& what) { return makeError("C711", {{"what", what}}); }

Result<void> storeWhole(const Tensor& tensor, std::vector<std::byte>& out) {
    for (std::size_t i = 0; i * 8 < tensor.bytes.size(); ++i) {
        const auto value = load<std::int64_t>(tensor.bytes.data() + i * 8);
        if (value < std::numeric_limits<std::int32_t>::min() || value > std::numeric_limits<std::int32_t>::max())
            return unfit("the number " + std::to_string(value) + " needs more than 32 bits");
        const auto narrow = static_cast<std::int32_t>(value);
        std::memcpy(out.data() + i * sizeof narrow, &narrow, sizeof narrow);
    }
    return {};
}

}  // namespace

std::size_t sizeOf(Element element) { return kElements[static_cast<std::size_t>(element)].bytes; }

std::string_view nameOf(Element element) { return kElements[static_cast<std::size_t>(element)].name; }

std::optional<std::uint64_t> bytesOf(Element element, const graph::Shape& shape) {
    if (shape.rank() > graph::kMaxRank) return std::nullopt;
    // An axis of 0 must not hide another one that is a lie.
    std::int64_t total = 1, product = 1;
    for (const std::int64_t dim : shape.dims()) {
        if (dim < 0 || (dim != 0 && product > graph::kMaxElements / dim)) return std::nullopt;
        product *= dim == 0 ? 1 : dim;
        total *= dim;
    }
    return static_cast<std::uint64_t>(total) * sizeOf(element);
}

std::optional<graph::TensorType> engineType(const Tensor& tensor) {
    switch (tensor.element) {
        case Element::F32: return graph::TensorType{graph::DType::F32, tensor.shape};
        case Element::F64: return graph::TensorType{graph::DType::F64, tensor.shape};
        case Element::I32: return graph::TensorType{graph::DType::I32, tensor.shape};
        default: return std::nullopt;
    }
}

Result<std::vector<std::byte>> convertTo(graph::DType dtype, const Tensor& tensor) {
    if (const auto same = engineType(tensor); same && same->dtype == dtype) return tensor.bytes;
    if (isFloat(tensor.element) != graph::isFloat(dtype))
        return unfit(std::string(nameOf(tensor.element)) + " can't become " + std::string(graph::nameOf(dtype)));
    std::vector<std::byte> out(tensor.bytes.size() / sizeOf(tensor.element) * graph::sizeOf(dtype));
    if (dtype == graph::DType::F32)
        storeFloats<float>(tensor, out);
    else if (dtype == graph::DType::F64)
        storeFloats<double>(tensor, out);
    else if (dtype == graph::DType::I32)
        LS_TRY(storeWhole(tensor, out));
    else
        return unfit("the engine's " + std::string(graph::nameOf(dtype)) + " is not known here");
    return out;
}

}  // namespace lockstep::keras
