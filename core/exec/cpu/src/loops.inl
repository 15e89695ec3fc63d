// The bodies of Loops, included by one file per instruction set. Nothing inline of the standard library may be used here: the linker
// keeps one copy of such a function, and it could be the one compiled for the newest processors.
#include "loops.h"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif
#include <math.h>

namespace lockstep::exec::cpu {
namespace {

#include "precision_loops.inl"
#include "tiles.inl"

#include "loss_loops.inl"
#include "norm_loops.inl"
#include "pointwise_loops.inl"
#include "pool_loops.inl"
#include "row_loops.inl"
#include "update_loops.inl"

}  // namespace

const Loops LOCKSTEP_LOOPS = {LOCKSTEP_LOOPS_NAME, kPointwise, kLosses, kNorms<float>, kNorms<Bfloat16>, kPools, kRows, kUpdates, kPrecision};

}  // namespace lockstep::exec::cpu
