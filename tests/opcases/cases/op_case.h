// One case of one op: operand shapes, how they are filled, attributes. One list (caseList) serves every check: cpu against ref,
// gradients against finite differences, speed, the support table.
#pragma once

#include <graph/graph.h>

#include <string>
#include <vector>

namespace lockstep::opcases {

enum class Fill {
    Signed,    // uniform in [-1, 1)
    Ties,      // small whole numbers, so that maxima repeat
    Labels,    // i32 in [0, classes)
    Weights,   // uniform in [0, 1), some zero
    Positive,  // uniform in [0.01, 1)
    Rate,      // a learning rate
    Step,      // 3
    Value,     // Operand::value everywhere
    Wide,      // uniform in [-8, 8)
    Bits,      // 0 or 1
};

struct Operand {
    graph::Shape shape;
    Fill fill = Fill::Signed;
    bool isState = false;
    int classes = 0;          // Labels only
    double value = 0;         // Value only
    bool isConstant = false;  // the gradient rule is not asked for its gradient
};

struct OpCase {
    std::string name;
    graph::OpKind op{};
    std::vector<Operand> operands;
    graph::Attributes attributes;
};

const std::vector<OpCase>& caseList();

// The cases by family, one file each; caseList() joins them.
std::vector<OpCase> productCases();
std::vector<OpCase> pictureCases();
std::vector<OpCase> pointwiseCases();
std::vector<OpCase> normCases();
std::vector<OpCase> lossCases();
std::vector<OpCase> updateCases();
std::vector<OpCase> activationCases();
std::vector<OpCase> shapeCases();
std::vector<OpCase> targetCases();

// The graph of a case (takes(op, dtype) must hold): its operands as Inputs "x0", "x1", … or States of the same names, the op, outputs "y0",
// "y1", ….
Result<graph::Graph> buildCase(const OpCase& opCase, graph::DType dtype);

// Values of one operand: the same numbers for every dtype, from the case's name.
std::vector<double> operandValues(const OpCase& opCase, std::size_t index);

// The element type of an operand when the case runs in `dtype`.
graph::DType operandType(const OpCase& opCase, std::size_t index, graph::DType dtype);

// Whether the op takes operands of this type (losses, updates and sums take no 16-bit ones).
bool takes(graph::OpKind op, graph::DType dtype);

}  // namespace lockstep::opcases
