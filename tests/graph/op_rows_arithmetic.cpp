#include "op_rows.h"

namespace lockstep::test {
namespace {

const Attributes kFactor{{"factor", -0.5}};
const Attributes kLimit{{"limit", 1.0}};
const Attributes kSmooth{{"label_smoothing", 0.1}};

}  // namespace

std::vector<Good> goodArithmeticRows() {
    using enum OpKind;
    return {
        {"scale", Scale, "f64[2,3]", kFactor, "f64[2, 3]"},
        {"add scaled", AddScaled, "f32[2] f32[2]", kFactor, "f32[2]"},
        {"mul", Mul, "f32[2,1] f32[2,1]", {}, "f32[2, 1]"},
        {"mul scalar", MulScalar, "f32[2,1] f32[]", {}, "f32[2, 1]"},
        {"clip by norm", ClipByNorm, "f32[4] f32[]", kLimit, "f32[4]"},
        {"clip value", ClipValue, "f32[4]", kLimit, "f32[4]"},
        {"smooth loss", SoftmaxCrossEntropy, "f32[4,10] i32[4] f32[4]", kSmooth, "f32[]"},
        {"smooth loss grad", SoftmaxCrossEntropyGrad, "f32[4,10] i32[4] f32[4]", kSmooth, "f32[4, 10]"},
        {"statistic", State, "", {{"dtype", std::string("f32")}, {"shape", List{3}}, {"role", std::string("statistic")}}, "f32[3]"},
    };
}

std::vector<Bad> badArithmeticRows() {
    using enum OpKind;
    return {
        {"scale ints", Scale, "i32[2]", kFactor, "S403", "must be f32, f64, bf16 or f16"},
        {"scale factor", Scale, "f32[2]", {{"factor", std::int64_t{2}}}, "S408", "must be a finite real"},
        {"add scaled", AddScaled, "f32[2] f32[3]", kFactor, "S403", "must be of one type"},
        {"mul", Mul, "f32[2] f64[2]", {}, "S403", "must be of one type"},
        {"mul scalar", MulScalar, "f32[2] f32[2]", {}, "S403", "s is f32[2], but must have 0 axes"},
        {"clip by norm", ClipByNorm, "f32[2] f32[2]", kLimit, "S403", "norm is f32[2]"},
        {"clip by norm limit", ClipByNorm, "f32[2] f32[]", {{"limit", 0.0}}, "S408", "above 0"},
        {"clip value", ClipValue, "i32[2]", kLimit, "S403", "must be f32, f64, bf16 or f16"},
        {"clip value limit", ClipValue, "f32[2]", {{"limit", -1.0}}, "S408", "above 0"},
        {"smooth loss", SoftmaxCrossEntropy, "f32[4,10] i32[4] f32[4]", {{"label_smoothing", 1.5}}, "S408", "from 0 to 1"},
    };
}

}  // namespace lockstep::test
