#include "op_rows.h"

namespace lockstep::test {
namespace {

const Attributes kNorm{{"epsilon", 1e-3}};
const Attributes kNormRelu = with(kNorm, "activation", std::string("relu"));
const Attributes kMoving{{"momentum", 0.99}};
const Attributes kBessel = with(kMoving, "bessel", std::int64_t{4});

}  // namespace

std::vector<Good> goodNormRows() {
    using enum OpKind;
    return {
        {"moments", BatchMoments, "f32[5,2,3] f32[]", {}, "f32[3] f32[3]"},
        {"normalize", BatchNormalize, "f64[5,3] f64[3] f64[3] f64[3] f64[3]", kNorm, "f64[5, 3]"},
        {"normalize addend", BatchNormalize, "f32[5,3] f32[3] f32[3] f32[3] f32[3] f32[5,3]", kNormRelu, "f32[5, 3]"},
        {"norm reduce", BatchNormReduceGrad, "f32[5,3] f32[5,3] f32[3] f32[3] f32[]", kNorm, "f32[3] f32[3]"},
        {"norm reduce relu", BatchNormReduceGrad, "f32[5,3] f32[5,3] f32[3] f32[3] f32[] f32[5,3]", kNormRelu, "f32[3] f32[3]"},
        {"norm reduce frozen", BatchNormReduceGrad, "f32[5,3] f32[5,3] f32[3] f32[3]", kNorm, "f32[3] f32[3]"},
        {"norm reduce frozen relu", BatchNormReduceGrad, "f32[5,3] f32[5,3] f32[3] f32[3] f32[5,3]", kNormRelu, "f32[3] f32[3]"},
        {"norm dx", BatchNormInputGrad, "f32[5,3] f32[5,3] f32[3] f32[3] f32[3] f32[3] f32[3] f32[]", kNorm, "f32[5, 3]"},
        {"norm dx relu", BatchNormInputGrad, "f32[5,3] f32[5,3] f32[3] f32[3] f32[3] f32[3] f32[3] f32[] f32[5,3]", kNormRelu, "f32[5, 3]"},
        {"norm frozen dx", BatchNormFrozenGrad, "f32[5,3] f32[3] f32[3]", kNorm, "f32[5, 3]"},
        {"norm frozen dx relu", BatchNormFrozenGrad, "f32[5,3] f32[3] f32[3] f32[5,3]", kNormRelu, "f32[5, 3]"},
        {"moments bf16", BatchMoments, "bf16[5,2,3] f32[]", {}, "f32[3] f32[3]"},
        {"normalize f16", BatchNormalize, "f16[5,3] f32[3] f32[3] f32[3] f32[3] f16[5,3]", kNormRelu, "f16[5, 3]"},
        {"norm reduce bf16", BatchNormReduceGrad, "bf16[5,3] bf16[5,3] f32[3] f32[3] f32[] bf16[5,3]", kNormRelu, "f32[3] f32[3]"},
        {"norm dx bf16", BatchNormInputGrad, "bf16[5,3] bf16[5,3] f32[3] f32[3] f32[3] f32[3] f32[3] f32[]", kNorm, "bf16[5, 3]"},
        {"moving", MovingUpdate, "f32[3] f32[3]", kMoving, "f32[3]"},
        {"moving bessel", MovingUpdate, "f32[3] f32[3] f32[]", kBessel, "f32[3]"},
    };
}

std::vector<Bad> badNormRows() {
    using enum OpKind;
    return {
        {"moments count", BatchMoments, "bf16[5,3] bf16[]", {}, "S403", "count is bf16[] beside x bf16[5, 3], but must be f32"},
        {"normalize gamma", BatchNormalize, "bf16[5,3] f32[3] f32[3] bf16[3] f32[3]", kNorm, "S403", "gamma is bf16[3] beside x"},
        {"moments rank", BatchMoments, "f32[5] f32[]", {}, "S403", "must have rows and channels"},
        {"moments count", BatchMoments, "f32[5,3] f32[1]", {}, "S403", "count is f32[1], but must have 0 axes"},
        {"moments count type", BatchMoments, "f32[5,3] i32[]", {}, "S403", "count is i32[]"},
        {"normalize mean", BatchNormalize, "f32[5,3] f32[5] f32[3] f32[3] f32[3]", kNorm, "S403",
         "mean is f32[5], but must have shape [3]"},
        {"normalize beta", BatchNormalize, "f32[5,3] f32[3] f32[3] f32[3] f64[3]", kNorm, "S403", "beta is f64[3]"},
        {"normalize addend", BatchNormalize, "f32[5,3] f32[3] f32[3] f32[3] f32[3] f32[5,1]", kNorm, "S403", "addend is f32[5, 1]"},
        {"normalize epsilon", BatchNormalize, "f32[5,3] f32[3] f32[3] f32[3] f32[3]", {{"epsilon", 0.0}}, "S408", "above 0"},
        {"normalize no epsilon", BatchNormalize, "f32[5,3] f32[3] f32[3] f32[3] f32[3]", {}, "S408", "\"epsilon\" is missing"},
        {"norm reduce x", BatchNormReduceGrad, "f32[5,3] f32[4,3] f32[3] f32[3] f32[]", kNorm, "S403", "x is f32[4, 3]"},
        {"norm reduce no y", BatchNormReduceGrad, "f32[5,3] f32[5,3] f32[3] f32[3]", kNormRelu, "S403", "needs 6 with these"},
        {"norm reduce y", BatchNormReduceGrad, "f32[5,3] f32[5,3] f32[3] f32[3] f32[] f32[5,2]", kNormRelu, "S403", "y is f32[5, 2]"},
        {"norm reduce extra", BatchNormReduceGrad, "f32[5,3] f32[5,3] f32[3] f32[3] f32[] f32[5,3]", kNorm, "S403", "needs 5 with these"},
        {"norm dx count", BatchNormInputGrad, "f32[5,3] f32[5,3] f32[3] f32[3] f32[3] f32[3] f32[3] f32[3]", kNorm, "S403", "count is"},
        {"norm dx dbeta", BatchNormInputGrad, "f32[5,3] f32[5,3] f32[3] f32[3] f32[3] f32[3] f32[2] f32[]", kNorm, "S403",
         "dbeta is f32[2]"},
        {"norm dx no y", BatchNormInputGrad, "f32[5,3] f32[5,3] f32[3] f32[3] f32[3] f32[3] f32[3] f32[]", kNormRelu, "S403", "needs 9"},
        {"norm frozen dx", BatchNormFrozenGrad, "f32[5,3] f32[3] f32[5]", kNorm, "S403", "gamma is f32[5]"},
        {"norm frozen dx y", BatchNormFrozenGrad, "f32[5,3] f32[3] f32[3]", kNormRelu, "S403", "needs 4"},
        {"moving value", MovingUpdate, "f32[3] f32[2]", kMoving, "S403", "value is f32[2]"},
        {"moving bessel", MovingUpdate, "f32[3] f32[3]", kBessel, "S403", "there is no count"},
        {"moving momentum", MovingUpdate, "f32[3] f32[3]", {{"momentum", 1.5}}, "S408", "from 0 to 1"},
    };
}

}  // namespace lockstep::test
