// Vectors of kLanes floats; 0 stands for "fewer than 16, said at run time", which is slow and rare (unblocked, channels not of 8).
template <int kLanes>
struct Tile {
    typedef float Vector __attribute__((vector_size(kLanes * sizeof(float))));
    static constexpr std::size_t kCount = kLanes;
    static void load(Vector& v, const float* from, std::size_t) { __builtin_memcpy(&v, from, sizeof v); }
    static void store(const Vector& v, float* to, std::size_t) { __builtin_memcpy(to, &v, sizeof v); }
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
};
