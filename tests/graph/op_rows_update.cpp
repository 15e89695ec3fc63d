#include "op_rows.h"

namespace lockstep::test {
namespace {

const Attributes kSgd{{"momentum", 0.5}, {"nesterov", std::int64_t{0}}};
const Attributes kAdam{{"beta_1", 0.9}, {"beta_2", 0.999}, {"epsilon", 1e-7}};
const Attributes kLion{{"beta_1", 0.9}, {"beta_2", 0.99}};
const Attributes kAdagrad{{"epsilon", 1e-7}};

Attributes rms(double momentum, std::int64_t centered) {
    return {{"rho", 0.9}, {"epsilon", 1e-7}, {"momentum", momentum}, {"centered", centered}};
}

Attributes decayed(const Attributes& attributes) { return with(attributes, "weight_decay", 0.004); }

}  // namespace

std::vector<Good> goodUpdateRows() {
    using enum OpKind;
    return {
        {"sgd decay", SgdUpdate, "f32[4] f32[4] f32[] f32[4]", decayed(kSgd), "f32[4] f32[4]"},
        {"adam decay", AdamUpdate, "f32[4] f32[4] f32[] f32[] f32[4] f32[4]", decayed(kAdam), "f32[4] f32[4] f32[4]"},
        {"amsgrad", AdamUpdate, "f32[4] f32[4] f32[] f32[] f32[4] f32[4] f32[4]", kAdam, "f32[4] f32[4] f32[4] f32[4]"},
        {"rmsprop", RmsPropUpdate, "f32[4] f32[4] f32[] f32[4]", decayed(rms(0, 0)), "f32[4] f32[4]"},
        {"rmsprop momentum", RmsPropUpdate, "f32[4] f32[4] f32[] f32[4] f32[4]", rms(0.5, 0), "f32[4] f32[4] f32[4]"},
        {"rmsprop centered", RmsPropUpdate, "f32[4] f32[4] f32[] f32[4] f32[4]", rms(0, 1), "f32[4] f32[4] f32[4]"},
        {"rmsprop all", RmsPropUpdate, "f32[4] f32[4] f32[] f32[4] f32[4] f32[4]", rms(0.5, 1), "f32[4] f32[4] f32[4] f32[4]"},
        {"adagrad", AdagradUpdate, "f64[2,2] f64[2,2] f64[] f64[2,2]", decayed(kAdagrad), "f64[2, 2] f64[2, 2]"},
        {"lion", LionUpdate, "f32[4] f32[4] f32[] f32[4]", decayed(kLion), "f32[4] f32[4]"},
        {"lamb", LambUpdate, "f32[4] f32[4] f32[] f32[] f32[4] f32[4]", decayed(kAdam), "f32[4] f32[4] f32[4]"},
        {"loss scale", LossScaleUpdate, "f32[] f32[] f32[] f32[]", {{"growth_steps", std::int64_t{2000}}}, "f32[] f32[] f32[]"},
        {"update if", UpdateIf, "f64[]", {}, "f64[]"},
        {"div scalar", DivScalar, "bf16[2,3] f32[]", {}, "bf16[2, 3]"},
        {"accumulate", Accumulate, "f32[4] f32[4] f32[]", {}, "f32[4]"},
    };
}

std::vector<Bad> badUpdateRows() {
    using enum OpKind;
    return {
        {"sgd decay kind", SgdUpdate, "f32[4] f32[4] f32[] f32[4]", with(kSgd, "weight_decay", std::int64_t{1}), "S408", "finite real"},
        {"amsgrad vhat", AdamUpdate, "f32[4] f32[4] f32[] f32[] f32[4] f32[4] f32[5]", kAdam, "S403", "vhat is f32[5]"},
        {"rmsprop no slot", RmsPropUpdate, "f32[4] f32[4] f32[] f32[4]", rms(0.5, 0), "S403", "it has 4 inputs, but needs 5"},
        {"rmsprop no average", RmsPropUpdate, "f32[4] f32[4] f32[] f32[4] f32[4]", rms(0.5, 1), "S403", "needs 6"},
        {"rmsprop extra", RmsPropUpdate, "f32[4] f32[4] f32[] f32[4] f32[4]", rms(0, 0), "S403", "needs 4"},
        {"rmsprop average", RmsPropUpdate, "f32[4] f32[4] f32[] f32[4] f32[3]", rms(0, 1), "S403", "average is f32[3]"},
        {"adagrad accumulator", AdagradUpdate, "f32[4] f32[4] f32[] f32[]", kAdagrad, "S403", "accumulator is f32[]"},
        {"lion rate", LionUpdate, "f32[4] f32[4] f32[4] f32[4]", kLion, "S403", "lr is f32[4]"},
        {"lion epsilon", LionUpdate, "f32[4] f32[4] f32[] f32[4]", with(kLion, "epsilon", 1.0), "S408", "is unknown"},
        {"loss scale", LossScaleUpdate, "f32[] f32[] f32[] f32[1]", {{"growth_steps", std::int64_t{9}}}, "S403", "finite is f32[1]"},
        {"loss scale never grows", LossScaleUpdate, "f32[] f32[] f32[] f32[]", {{"growth_steps", std::int64_t{0}}}, "S403", "at least 1"},
        {"update if", UpdateIf, "f32[2]", {}, "S403", "must have 0 axes"},
        {"div scalar", DivScalar, "f32[2] f32[1]", {}, "S403", "must have 0 axes"},
        {"lamb step", LambUpdate, "f32[4] f32[4] f32[] f64[] f32[4] f32[4]", kAdam, "S403", "step is f64[]"},
        {"accumulate value", Accumulate, "f32[4] f32[3] f32[]", {}, "S403", "value is f32[3]"},
        {"accumulate keep", Accumulate, "f32[4] f32[4] f32[1]", {}, "S403", "keep is f32[1]"},
    };
}

}  // namespace lockstep::test
