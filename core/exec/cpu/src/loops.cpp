#include "loops.h"

#include <dnnl.hpp>

namespace lockstep::exec::cpu {

const Loops& chooseLoops() {
    switch (dnnl::get_effective_cpu_isa()) {
        case dnnl::cpu_isa::avx512_core:
        case dnnl::cpu_isa::avx512_core_vnni:
        case dnnl::cpu_isa::avx512_core_bf16:
        case dnnl::cpu_isa::avx512_core_amx: return kAvx512Loops;
        case dnnl::cpu_isa::avx2:
        case dnnl::cpu_isa::avx2_vnni: return kAvx2Loops;
        default: return kBaselineLoops;
    }
}

bool multipliesBfloat16() {
    const auto isa = dnnl::get_effective_cpu_isa();
    return isa == dnnl::cpu_isa::avx512_core_bf16 || isa == dnnl::cpu_isa::avx512_core_amx;
}

}  // namespace lockstep::exec::cpu
