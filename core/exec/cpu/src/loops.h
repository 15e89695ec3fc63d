// Own loops, compiled once per instruction set; one header and one .inl per family.
#pragma once

#include "loss_loops.h"
#include "norm_loops.h"
#include "pointwise_loops.h"
#include "pool_loops.h"
#include "precision_loops.h"
#include "row_loops.h"
#include "update_loops.h"

namespace lockstep::exec::cpu {

struct Loops {
    const char* name;
    PointwiseLoops pointwise;
    LossLoops loss;
    NormLoops<float> norm;
    NormLoops<Bfloat16> normBfloat16;
    PoolLoops pool;
    RowLoops row;
    UpdateLoops update;
    PrecisionLoops precision;
};

extern const Loops kBaselineLoops;
extern const Loops kAvx2Loops;
extern const Loops kAvx512Loops;

// The set that matches the instruction set oneDNN uses here.
const Loops& chooseLoops();
// Whether that one has bfloat16 products, so that oneDNN's bfloat16 kernels are its fast ones.
bool multipliesBfloat16();

}  // namespace lockstep::exec::cpu
