#include "op_rules.h"

#include <fmt/format.h>

namespace lockstep::graph::rules {
namespace {

using Names = std::initializer_list<std::string_view>;

// (w, g, lr, …scalars, …slots): g and the slots are like w.
Inferred inferUpdate(std::string_view op, Types inputs, Names scalars, Names slots) {
    LS_TRY(needInputs(op, inputs, 2 + scalars.size() + slots.size()));
    const Operand w{op, "w", inputs[0]};
    LS_TRY(needWide(w));
    LS_TRY(needSame(w, {op, "g", inputs[1]}));
    std::size_t at = 2;
    for (const std::string_view name : scalars) LS_TRY(needScalar(w, {op, name, inputs[at++]}));
    for (const std::string_view name : slots) LS_TRY(needSame(w, {op, name, inputs[at++]}));
    return std::vector<TensorType>(1 + slots.size(), w.type);
}

bool isSet(const Attributes& attributes, std::string_view name) { return doubleAttributeOr(attributes, name, 0) != 0; }

OpCost costPerWeight(double operations, Types inputs, Types outputs, const Attributes& attributes) {
    const double decay = isSet(attributes, "weight_decay") ? 2 : 0;
    return {(operations + decay) * elementsOf(inputs[0]), bytesOf(inputs, outputs)};
}

}  // namespace

Inferred inferSgdUpdate(Types inputs, const Attributes& attributes) {
    if (inputs.size() == 4) return inferUpdate("sgd_update", inputs, {"lr"}, {"slot"});
    if (isSet(attributes, "momentum")) return mismatch("sgd_update", "momentum is not 0, but there is no slot for it");
    return inferUpdate("sgd_update", inputs, {"lr"}, {});
}

OpCost costOfSgdUpdate(Types inputs, Types outputs, const Attributes& attributes) {
    const bool nesterov = intAttribute(attributes, "nesterov") != 0;
    return costPerWeight(inputs.size() == 3 ? 2 : (nesterov ? 6 : 4), inputs, outputs, attributes);
}

Inferred inferAdamUpdate(Types inputs, const Attributes&) {
    if (inputs.size() == 7) return inferUpdate("adam_update", inputs, {"lr", "step"}, {"m", "v", "vhat"});
    return inferUpdate("adam_update", inputs, {"lr", "step"}, {"m", "v"});
}

OpCost costOfAdamUpdate(Types inputs, Types outputs, const Attributes& attributes) {
    // m: 3, v: 4, w: multiply, square root, add, divide, subtract.
    return costPerWeight(inputs.size() == 7 ? 13 : 12, inputs, outputs, attributes);
}

Inferred inferRmsPropUpdate(Types inputs, const Attributes& attributes) {
    constexpr std::string_view kOp = "rmsprop_update";
    const bool momentum = isSet(attributes, "momentum"), centered = intAttribute(attributes, "centered") != 0;
    if (momentum && centered) return inferUpdate(kOp, inputs, {"lr"}, {"v", "slot", "average"});
    if (momentum) return inferUpdate(kOp, inputs, {"lr"}, {"v", "slot"});
    if (centered) return inferUpdate(kOp, inputs, {"lr"}, {"v", "average"});
    return inferUpdate(kOp, inputs, {"lr"}, {"v"});
}

OpCost costOfRmsPropUpdate(Types inputs, Types outputs, const Attributes& attributes) {
    // v: 4, w: multiply, add, square root, divide, subtract; slot: 2, average: 5.
    const double momentum = isSet(attributes, "momentum") ? 2 : 0, centered = intAttribute(attributes, "centered") != 0 ? 5 : 0;
    return costPerWeight(9 + momentum + centered, inputs, outputs, attributes);
}

Inferred inferAdagradUpdate(Types inputs, const Attributes&) { return inferUpdate("adagrad_update", inputs, {"lr"}, {"accumulator"}); }

OpCost costOfAdagradUpdate(Types inputs, Types outputs, const Attributes& attributes) {
    return costPerWeight(7, inputs, outputs, attributes);
}

Inferred inferLionUpdate(Types inputs, const Attributes&) { return inferUpdate("lion_update", inputs, {"lr"}, {"m"}); }

OpCost costOfLionUpdate(Types inputs, Types outputs, const Attributes& attributes) { return costPerWeight(9, inputs, outputs, attributes); }

Inferred inferLambUpdate(Types inputs, const Attributes&) { return inferUpdate("lamb_update", inputs, {"lr", "step"}, {"m", "v"}); }

OpCost costOfLambUpdate(Types inputs, Types outputs, const Attributes& attributes) {
    // m: 3, v: 4, update: 5, both norms: 4, w: 2.
    return costPerWeight(18, inputs, outputs, attributes);
}

Inferred inferAccumulate(Types inputs, const Attributes&) {
    const Operand acc{"accumulate", "acc", inputs[0]};
    LS_TRY(needWide(acc));
    LS_TRY(needSame(acc, {"accumulate", "value", inputs[1]}));
    LS_TRY(needScalar(acc, {"accumulate", "keep", inputs[2]}));
    return std::vector{acc.type};
}

OpCost costOfAccumulate(Types inputs, Types outputs, const Attributes&) { return {2.0 * elementsOf(inputs[0]), bytesOf(inputs, outputs)}; }

}  // namespace lockstep::graph::rules
