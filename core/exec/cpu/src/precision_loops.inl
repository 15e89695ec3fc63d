inline std::uint32_t bitsOf(float value) {
    std::uint32_t bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    return bits;
}

inline float floatOf(std::uint32_t bits) {
    float value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

inline std::uint32_t bfloat16Bits(float value) {
    const std::uint32_t bits = bitsOf(value), even = bits + 0x7fffU + ((bits >> 16) & 1U);
    return (bits & 0x7fffffffU) > 0x7f800000U ? bits | 0x400000U : even;
}

// The bits of the nearest float that float16 holds.
inline std::uint32_t float16Rounded(float value) {
    const std::uint32_t bits = bitsOf(value), sign = bits & 0x80000000U, size = bits & 0x7fffffffU;
    const std::uint32_t even = (size + 0xfffU + ((size >> 13) & 1U)) & ~0x1fffU;
    const std::uint32_t normal = even >= 0x47800000U ? 0x7f800000U : even;
    // Below 2^-14 float16 has steps of 2^-24, which are those of floats from 0.5 on.
    const std::uint32_t small = bitsOf((floatOf(size) + 0.5F) - 0.5F);
    const std::uint32_t finite = size < 0x38800000U ? small : normal;
    return sign | (size > 0x7f800000U ? 0x7fc00000U : finite);
}

void roundBfloat16(float* x, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) x[i] = floatOf(bfloat16Bits(x[i]) & 0xffff0000U);
}

void narrowBfloat16(const float* x, std::uint16_t* bits, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) bits[i] = static_cast<std::uint16_t>(bfloat16Bits(x[i]) >> 16);
}

void widenBfloat16(const std::uint16_t* bits, float* x, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) x[i] = floatOf(static_cast<std::uint32_t>(bits[i]) << 16);
}

void roundFloat16(float* x, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) x[i] = floatOf(float16Rounded(x[i]));
}

void narrowFloat16(const float* x, std::uint16_t* bits, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t exact = float16Rounded(x[i]), sign = (exact >> 16) & 0x8000U, size = exact & 0x7fffffffU;
        const std::uint32_t normal = (size - 0x38000000U) >> 13;
        const auto small = static_cast<std::uint32_t>(static_cast<std::int32_t>(floatOf(size) * 0x1p24F));
        const std::uint32_t special = size > 0x7f800000U ? 0x7e00U : 0x7c00U;
        const std::uint32_t finite = size < 0x38800000U ? small : normal;
        bits[i] = static_cast<std::uint16_t>(sign | (size >= 0x7f800000U ? special : finite));
    }
}

void widenFloat16(const std::uint16_t* bits, float* x, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t sign = (bits[i] & 0x8000U) << 16, size = bits[i] & 0x7fffU;
        const std::uint32_t normal = (size << 13) + 0x38000000U;
        const std::uint32_t small = bitsOf(static_cast<float>(static_cast<std::int32_t>(size)) * 0x1p-24F);
        const std::uint32_t special = 0x7f800000U | (size << 13);
        const std::uint32_t finite = size < 0x400U ? small : normal;
        x[i] = floatOf(sign | (size >= 0x7c00U ? special : finite));
    }
}

inline float wide(Bfloat16 x) { return floatOf(static_cast<std::uint32_t>(x.bits) << 16); }

void reluBfloat16(const Bfloat16* x, Bfloat16* y, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) y[i].bits = wide(x[i]) < 0.0F ? std::uint16_t{0} : x[i].bits;
}

void reluGradBfloat16(const Bfloat16* dy, const Bfloat16* y, Bfloat16* dx, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint16_t gradient = dy[i].bits;
        dx[i].bits = wide(y[i]) > 0.0F ? gradient : std::uint16_t{0};
    }
}

void addBfloat16(const Bfloat16* a, const Bfloat16* b, Bfloat16* y, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) y[i].bits = static_cast<std::uint16_t>(bfloat16Bits(wide(a[i]) + wide(b[i])) >> 16);
}

constexpr PrecisionLoops kPrecision = {{roundBfloat16, narrowBfloat16, widenBfloat16}, {roundFloat16, narrowFloat16, widenFloat16},
                                       reluBfloat16, reluGradBfloat16, addBfloat16};
