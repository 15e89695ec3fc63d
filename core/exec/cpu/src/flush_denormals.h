// Numbers below the normal range (1.2e-38 in float32) count as zero while one of these lives, on the calling thread. TensorFlow does
// the same in its kernels. It matters: Adam's first moment of a weight whose gradient is always zero decays into that range within
// a thousand steps, and arithmetic there is a hundred times slower (MLP on MNIST: whole steps twice as slow).
#pragma once

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace lockstep::exec::cpu {

class FlushDenormals {
public:
#if defined(__x86_64__)
    FlushDenormals() : m_before(_mm_getcsr()) { _mm_setcsr(m_before | kFlushToZero | kDenormalsAreZero); }
    ~FlushDenormals() { _mm_setcsr(m_before); }
#else
    FlushDenormals() = default;  // other processors: full speed or their own default
    ~FlushDenormals() = default;
#endif
    FlushDenormals(const FlushDenormals&) = delete;
    FlushDenormals& operator=(const FlushDenormals&) = delete;

    // For good: the threads of a team do nothing but run programs.
    static void forThisThread() {
#if defined(__x86_64__)
        _mm_setcsr(_mm_getcsr() | kFlushToZero | kDenormalsAreZero);
#endif
    }

private:
#if defined(__x86_64__)
    static constexpr unsigned kFlushToZero = 0x8000, kDenormalsAreZero = 0x0040;
    unsigned m_before;
#endif
};

}  // namespace lockstep::exec::cpu
