// Shared by the files of cases.
#pragma once

#include "op_case.h"

#include <utility>

namespace lockstep::opcases {

using Pair = std::vector<std::int64_t>;
using graph::Attributes;
using graph::OpKind;
using graph::Shape;

class CaseMaker {
public:
    void add(std::string name, OpKind op, std::vector<Operand> operands, Attributes attributes = {}) {
        m_cases.push_back({std::move(name), op, std::move(operands), std::move(attributes)});
    }
    std::vector<OpCase> take() { return std::move(m_cases); }

private:
    std::vector<OpCase> m_cases;
};

inline Attributes with(Attributes attributes, const char* name, graph::Attribute value) {
    attributes.insert_or_assign(name, std::move(value));
    return attributes;
}

inline Operand scalar(double value) { return {Shape{}, Fill::Value, false, 0, value, true}; }
inline Operand positive(Shape shape) { return {std::move(shape), Fill::Positive}; }
inline Operand constant(Operand operand) {
    operand.isConstant = true;
    return operand;
}

}  // namespace lockstep::opcases
