#include "case_maker.h"

namespace lockstep::opcases {
namespace {

class Norms : public CaseMaker {
public:
    // The five nodes of a batch normalisation of which `count` rows are real.
    void batchNorm(const std::string& name, const Shape& x, double count, Fill fill = Fill::Signed) {
        const Shape c{x.back()};
        const Attributes epsilon{{"epsilon", 1e-3}};
        const Attributes relu = with(epsilon, "activation", std::string("relu"));
        const Operand mean = constant({c}), variance = constant(positive(c)), real = scalar(count);
        add("batch_moments " + name, OpKind::BatchMoments, {{x, fill}, real});
        add("batch_normalize " + name, OpKind::BatchNormalize, {{x, fill}, mean, variance, {c}, {c}}, epsilon);
        add("batch_normalize relu " + name, OpKind::BatchNormalize, {{x, fill}, mean, variance, {c}, {c}}, relu);
        add("batch_normalize addend " + name, OpKind::BatchNormalize, {{x, fill}, mean, variance, {c}, {c}, {x}}, epsilon);
        add("batch_normalize addend relu " + name, OpKind::BatchNormalize, {{x, fill}, mean, variance, {c}, {c}, {x}}, relu);
        add("batch_norm_reduce_grad " + name, OpKind::BatchNormReduceGrad, {{x}, {x, fill}, mean, variance, real}, epsilon);
        add("batch_norm_reduce_grad relu " + name, OpKind::BatchNormReduceGrad, {{x}, {x, fill}, mean, variance, real, {x, Fill::Ties}},
            relu);
        add("batch_norm_reduce_grad frozen " + name, OpKind::BatchNormReduceGrad, {{x}, {x, fill}, mean, variance}, epsilon);
        add("batch_norm_reduce_grad frozen relu " + name, OpKind::BatchNormReduceGrad, {{x}, {x, fill}, mean, variance, {x, Fill::Ties}},
            relu);
        add("batch_norm_input_grad " + name, OpKind::BatchNormInputGrad, {{x}, {x, fill}, mean, variance, {c}, {c}, {c}, real}, epsilon);
        add("batch_norm_input_grad relu " + name, OpKind::BatchNormInputGrad,
            {{x}, {x, fill}, mean, variance, {c}, {c}, {c}, real, {x, Fill::Ties}}, relu);
        add("batch_norm_frozen_grad " + name, OpKind::BatchNormFrozenGrad, {{x}, variance, {c}}, epsilon);
        add("batch_norm_frozen_grad relu " + name, OpKind::BatchNormFrozenGrad, {{x}, variance, {c}, {x, Fill::Ties}}, relu);
    }

    void movingUpdate(std::int64_t c) {
        const Operand state{Shape{c}, Fill::Signed, true};
        const std::string name = Shape{c}.toText();
        add("moving_update " + name, OpKind::MovingUpdate, {state, {Shape{c}}}, {{"momentum", 0.99}});
        add("moving_update count " + name, OpKind::MovingUpdate, {state, {Shape{c}}, scalar(7)}, {{"momentum", 0.9}});
        add("moving_update no rows " + name, OpKind::MovingUpdate, {state, {Shape{c}}, scalar(0)}, {{"momentum", 0.99}});
        const Attributes bessel{{"momentum", 0.99}, {"bessel", std::int64_t{5}}};
        add("moving_update bessel " + name, OpKind::MovingUpdate, {state, positive({c}), scalar(3)}, bessel);
        add("moving_update bessel one place " + name, OpKind::MovingUpdate, {state, positive({c}), scalar(1)},
            with(bessel, "bessel", std::int64_t{1}));
    }
};

}  // namespace

std::vector<OpCase> normCases() {
    Norms list;
    list.batchNorm("one", {1, 1}, 1);
    list.batchNorm("one row", {1, 3, 5, 7}, 1);
    list.batchNorm("single channel", {5, 3, 2, 1}, 5);
    list.batchNorm("dense primes", {31, 13}, 31);
    list.batchNorm("padded", {7, 5, 3, 11}, 4);
    list.batchNorm("no rows", {3, 2, 2, 5}, 0);
    list.batchNorm("ties", {4, 3, 3, 16}, 3, Fill::Ties);
    list.batchNorm("resnet", {8, 16, 16, 32}, 8);
    for (const std::int64_t c : {1, 13, 64}) list.movingUpdate(c);
    return list.take();
}

}  // namespace lockstep::opcases
