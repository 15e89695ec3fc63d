#include "reduce.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace lockstep::comm {
namespace {

// out = a + b; out may be a or b. Loads by memcpy: no alignment is promised, and compilers make vectors of it.
template <class T>
[[gnu::always_inline]] inline void addLoop(std::byte* out, const std::byte* a, const std::byte* b, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        T left;
        T right;
        std::memcpy(&left, a + i * sizeof(T), sizeof(T));
        std::memcpy(&right, b + i * sizeof(T), sizeof(T));
        left = static_cast<T>(left + right);
        std::memcpy(out + i * sizeof(T), &left, sizeof(T));
    }
}

using AddFunction = void (*)(std::byte*, const std::byte*, const std::byte*, std::size_t);

template <class T>
void addPlain(std::byte* out, const std::byte* a, const std::byte* b, std::size_t count) {
    addLoop<T>(out, a, b, count);
}

#if defined(__x86_64__)
// Dispatch by hand: the resolvers of target_clones run before a sanitizer is ready.
template <class T>
__attribute__((target("avx2"))) void addAvx2(std::byte* out, const std::byte* a, const std::byte* b, std::size_t count) {
    addLoop<T>(out, a, b, count);
}
template <class T>
__attribute__((target("avx512f,prefer-vector-width=512"))) void addAvx512(std::byte* out, const std::byte* a, const std::byte* b,
                                                                          std::size_t count) {
    addLoop<T>(out, a, b, count);
}
#endif

template <class T>
AddFunction bestAdd() {
#if defined(__x86_64__)
    static const AddFunction best = __builtin_cpu_supports("avx512f") ? addAvx512<T>
                                    : __builtin_cpu_supports("avx2")  ? addAvx2<T>
                                                                      : addPlain<T>;
    return best;
#else
    return addPlain<T>;
#endif
}

AddFunction addOf(Element element) {
    switch (element) {
        case Element::F32: return bestAdd<float>();
        case Element::F64: return bestAdd<double>();
        case Element::I32: return bestAdd<std::uint32_t>();
        case Element::I64: return bestAdd<std::uint64_t>();
    }
    return bestAdd<float>();
}

}  // namespace

std::size_t elementSize(Element element) { return element == Element::F32 || element == Element::I32 ? 4 : 8; }

void addInto(Element element, std::byte* target, const std::byte* source, std::size_t bytes) {
    addOf(element)(target, target, source, bytes / elementSize(element));
}

void sumInOrder(Element element, std::byte* target, std::span<const std::byte* const> sources, std::size_t bytes) {
    const auto add = addOf(element);
    const auto width = elementSize(element);
    if (sources.size() == 2) return add(target, sources[0], sources[1], bytes / width);
    // Blocks small enough for the first cache; the target is written last because it may be a source.
    std::array<std::byte, 4096> block;
    for (std::size_t at = 0; at < bytes; at += block.size()) {
        const auto size = std::min(block.size(), bytes - at);
        add(block.data(), sources[0] + at, sources[1] + at, size / width);
        for (std::size_t i = 2; i < sources.size(); ++i) add(block.data(), block.data(), sources[i] + at, size / width);
        std::memcpy(target + at, block.data(), size);
    }
}

}  // namespace lockstep::comm
