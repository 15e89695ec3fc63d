#include "reduce.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace lockstep::comm {
namespace {

// out = also = a + b; each of out and also may be a or b. Loads by memcpy: no alignment is promised, and compilers make vectors of it.
template <class T>
[[gnu::always_inline]] inline void addLoop(std::byte* out, std::byte* also, const std::byte* a, const std::byte* b, std::size_t count) {
#pragma GCC ivdep
    for (std::size_t i = 0; i < count; ++i) {
        T left;
        T right;
        std::memcpy(&left, a + i * sizeof(T), sizeof(T));
        std::memcpy(&right, b + i * sizeof(T), sizeof(T));
        left = static_cast<T>(left + right);
        std::memcpy(out + i * sizeof(T), &left, sizeof(T));
        if (also != nullptr) std::memcpy(also + i * sizeof(T), &left, sizeof(T));
    }
}

// `also` null: one target.
using AddFunction = void (*)(std::byte* out, std::byte* also, const std::byte* a, const std::byte* b, std::size_t count);

template <class T>
[[gnu::always_inline]] inline void addEither(std::byte* out, std::byte* also, const std::byte* a, const std::byte* b, std::size_t count) {
    if (also == nullptr)
        addLoop<T>(out, nullptr, a, b, count);
    else
        addLoop<T>(out, also, a, b, count);
}

template <class T>
void addPlain(std::byte* out, std::byte* also, const std::byte* a, const std::byte* b, std::size_t count) {
    addEither<T>(out, also, a, b, count);
}

#if defined(__x86_64__)
// Dispatch by hand: the resolvers of target_clones run before a sanitizer is ready.
template <class T>
__attribute__((target("avx2"))) void addAvx2(std::byte* out, std::byte* also, const std::byte* a, const std::byte* b, std::size_t count) {
    addEither<T>(out, also, a, b, count);
}
template <class T>
__attribute__((target("avx512f,prefer-vector-width=512"))) void addAvx512(std::byte* out, std::byte* also, const std::byte* a,
                                                                          const std::byte* b, std::size_t count) {
    addEither<T>(out, also, a, b, count);
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
    addOf(element)(target, nullptr, target, source, bytes / elementSize(element));
}

void sumInOrder(Element element, std::byte* target, std::span<const std::byte* const> sources, std::size_t bytes) {
    sumToAll(element, std::span(&target, 1), sources, bytes);
}

void sumToAll(Element element, std::span<std::byte* const> targets, std::span<const std::byte* const> sources, std::size_t bytes) {
    const auto add = addOf(element);
    const auto width = elementSize(element);
    if (sources.size() == 2 && targets.size() <= 2)
        return add(targets[0], targets.size() == 2 ? targets[1] : nullptr, sources[0], sources[1], bytes / width);
    // Blocks small enough for the first cache; targets are written last because they may be sources.
    std::array<std::byte, 4096> block;
    for (std::size_t at = 0; at < bytes; at += block.size()) {
        const auto size = std::min(block.size(), bytes - at);
        add(block.data(), nullptr, sources[0] + at, sources[1] + at, size / width);
        for (std::size_t i = 2; i < sources.size(); ++i) add(block.data(), nullptr, block.data(), sources[i] + at, size / width);
        for (auto* target : targets) std::memcpy(target + at, block.data(), size);
    }
}

}  // namespace lockstep::comm
