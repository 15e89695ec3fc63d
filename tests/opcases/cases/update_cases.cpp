#include "case_maker.h"

#include <cmath>

namespace lockstep::opcases {
namespace {

class Updates : public CaseMaker {
public:
    void updates(const std::string& name, const Shape& shape) {
        const Operand weight{shape, Fill::Signed, true};
        const Operand slot{shape, Fill::Signed, true};
        const Operand square{shape, Fill::Positive, true};
        const Operand rate{Shape{}, Fill::Rate};
        const Operand step{Shape{}, Fill::Step};
        const auto sgd = [](double momentum, std::int64_t nesterov) { return Attributes{{"momentum", momentum}, {"nesterov", nesterov}}; };
        add("sgd_update " + name, OpKind::SgdUpdate, {weight, {shape}, rate}, sgd(0, 0));
        add("sgd_update " + name + " momentum", OpKind::SgdUpdate, {weight, {shape}, rate, slot}, sgd(0.9, 0));
        add("sgd_update " + name + " nesterov", OpKind::SgdUpdate, {weight, {shape}, rate, slot}, sgd(0.9, 1));
        add("sgd_update " + name + " decay", OpKind::SgdUpdate, {weight, {shape}, rate}, decayed(sgd(0, 0)));
        const Attributes adam{{"beta_1", 0.9}, {"beta_2", 0.999}, {"epsilon", 1e-7}};
        const std::vector<Operand> moments = {weight, {shape}, rate, step, slot, square};
        add("adam_update " + name, OpKind::AdamUpdate, moments, adam);
        add("adam_update " + name + " decay", OpKind::AdamUpdate, moments, decayed(adam));
        add("adam_update " + name + " amsgrad", OpKind::AdamUpdate, {weight, {shape}, rate, step, slot, square, square}, adam);
        add("lamb_update " + name, OpKind::LambUpdate, moments, with(adam, "epsilon", 1e-6));
        add("lamb_update " + name + " decay", OpKind::LambUpdate, moments, decayed(adam));
        add("lamb_update " + name + " zero weight", OpKind::LambUpdate, {{shape, Fill::Value, true}, {shape}, rate, step, slot, square},
            adam);
    }

    void others(const std::string& name, const Shape& shape) {
        const Operand weight{shape, Fill::Signed, true}, slot = weight, square{shape, Fill::Positive, true}, rate{Shape{}, Fill::Rate};
        const auto rms = [](double momentum, std::int64_t centered) {
            return Attributes{{"rho", 0.9}, {"epsilon", 1e-7}, {"momentum", momentum}, {"centered", centered}};
        };
        const Operand small{shape, Fill::Value, true, 0, 0.05};  // its square stays below v
        add("rmsprop_update " + name, OpKind::RmsPropUpdate, {weight, {shape}, rate, square}, rms(0, 0));
        add("rmsprop_update " + name + " momentum", OpKind::RmsPropUpdate, {weight, {shape}, rate, square, slot}, rms(0.8, 0));
        add("rmsprop_update " + name + " centered", OpKind::RmsPropUpdate, {weight, {shape}, rate, square, small}, rms(0, 1));
        add("rmsprop_update " + name + " all", OpKind::RmsPropUpdate, {weight, {shape}, rate, square, slot, small}, decayed(rms(0.8, 1)));
        add("adagrad_update " + name, OpKind::AdagradUpdate, {weight, {shape}, rate, square}, {{"epsilon", 1e-7}});
        add("adagrad_update " + name + " decay", OpKind::AdagradUpdate, {weight, {shape}, rate, square}, decayed({{"epsilon", 1e-7}}));
        const Attributes lion{{"beta_1", 0.9}, {"beta_2", 0.99}};
        add("lion_update " + name, OpKind::LionUpdate, {weight, {shape}, rate, slot}, lion);
        add("lion_update " + name + " decay ties", OpKind::LionUpdate, {weight, {shape, Fill::Value}, rate, {shape, Fill::Ties, true}},
            decayed(lion));
        add("accumulate " + name, OpKind::Accumulate, {slot, {shape}, scalar(1)});
        add("accumulate " + name + " half", OpKind::Accumulate, {slot, {shape}, scalar(0.5)});
        add("accumulate " + name + " first", OpKind::Accumulate, {{shape, Fill::Value, true, 0, std::nan("")}, {shape}, scalar(0)});
    }

private:
    static Attributes decayed(const Attributes& attributes) { return with(attributes, "weight_decay", 0.004); }
};

}  // namespace

std::vector<OpCase> updateCases() {
    Updates list;
    for (const Shape& shape : {Shape{1}, Shape{128, 10}, Shape{7, 11, 13}}) {
        list.updates(shape.toText(), shape);
        list.others(shape.toText(), shape);
    }
    const auto scale = [&](const char* name, double counter, double finite) {
        const auto state = [](double value) { return Operand{Shape{}, Fill::Value, true, 0, value, true}; };
        list.add(std::string("loss_scale_update ") + name, OpKind::LossScaleUpdate,
                 {state(32768), state(counter), state(4), scalar(finite)}, {{"growth_steps", std::int64_t{2000}}});
    };
    scale("counts", 7, 1);
    scale("grows", 1999, 1);
    scale("halves", 1999, 0);
    return list.take();
}

}  // namespace lockstep::opcases
