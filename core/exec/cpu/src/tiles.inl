// The bits of bfloat16 and of the floats they are.
template <int kLanes>
struct BitVectors;
template <>
struct BitVectors<16> {
    typedef std::uint16_t Halves __attribute__((vector_size(32)));
    typedef std::uint32_t Bits __attribute__((vector_size(64)));
    static void widen(const Halves& halves, Bits& bits) { bits = __builtin_convertvector(halves, Bits) << 16; }
    static void narrow(const Bits& bits, Halves& halves) { halves = __builtin_convertvector(bits >> 16, Halves); }
};
template <>
struct BitVectors<8> {
    typedef std::uint16_t Halves __attribute__((vector_size(16)));
    typedef std::uint32_t Bits __attribute__((vector_size(32)));
    static void widen(const Halves& halves, Bits& bits) { bits = __builtin_convertvector(halves, Bits) << 16; }
    static void narrow(const Bits& bits, Halves& halves) { halves = __builtin_convertvector(bits >> 16, Halves); }
};

// Vectors of kLanes floats, in memory as floats or rounded to bfloat16; 0 stands for "fewer than 16, said at run time", which is slow and rare (unblocked, channels not of 8).
template <int kLanes>
struct Tile {
    typedef float Vector __attribute__((vector_size(kLanes * sizeof(float))));
    static constexpr std::size_t kCount = kLanes;
    using Halves = typename BitVectors<kLanes>::Halves;
    using Bits = typename BitVectors<kLanes>::Bits;
    static void load(Vector& v, const float* from, std::size_t) { __builtin_memcpy(&v, from, sizeof v); }
    static void store(const Vector& v, float* to, std::size_t) { __builtin_memcpy(to, &v, sizeof v); }
    static void load(Vector& v, const Bfloat16* from, std::size_t) {
        Halves halves;
        __builtin_memcpy(&halves, from, sizeof halves);
        Bits bits;
        BitVectors<kLanes>::widen(halves, bits);
        __builtin_memcpy(&v, &bits, sizeof v);
    }
    static void store(const Vector& v, Bfloat16* to, std::size_t) {
        Bits bits;
        __builtin_memcpy(&bits, &v, sizeof bits);
        const Bits even = bits + 0x7fffU + ((bits >> 16) & 1U), whole = v == v ? even : (bits | 0x400000U);
        Halves halves;
        BitVectors<kLanes>::narrow(whole, halves);
        __builtin_memcpy(to, &halves, sizeof halves);
    }
};
template <>
struct Tile<0> {
    typedef float Vector __attribute__((vector_size(16 * sizeof(float))));
    static constexpr std::size_t kCount = 16;
    static void load(Vector& v, const float* from, std::size_t count) {
        v = Vector{};
        for (std::size_t i = 0; i < count; ++i) v[i] = from[i];
    }
    static void store(const Vector& v, float* to, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) to[i] = v[i];
    }
    static void load(Vector& v, const Bfloat16* from, std::size_t count) {
        v = Vector{};
        for (std::size_t i = 0; i < count; ++i) v[i] = floatOf(static_cast<std::uint32_t>(from[i].bits) << 16);
    }
    static void store(const Vector& v, Bfloat16* to, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) to[i].bits = static_cast<std::uint16_t>(bfloat16Bits(v[i]) >> 16);
    }
};
