#include "case_maker.h"

namespace lockstep::opcases {
namespace {

class Losses : public CaseMaker {
public:
    void loss(const std::string& name, std::int64_t rows, int classes, Fill logits) {
        const std::vector<Operand> operands = {
            {Shape{rows, classes}, logits}, {Shape{rows}, Fill::Labels, false, classes, 0, true}, constant({Shape{rows}, Fill::Weights})};
        const Attributes smooth{{"label_smoothing", 0.1}};
        add("softmax_cross_entropy " + name, OpKind::SoftmaxCrossEntropy, operands);
        add("softmax_cross_entropy smooth " + name, OpKind::SoftmaxCrossEntropy, operands, smooth);
        add("softmax_cross_entropy_grad " + name, OpKind::SoftmaxCrossEntropyGrad, operands);
        add("softmax_cross_entropy_grad smooth " + name, OpKind::SoftmaxCrossEntropyGrad, operands, smooth);
        add("correct_predictions " + name, OpKind::CorrectPredictions, operands);
    }
};

}  // namespace

std::vector<OpCase> lossCases() {
    Losses list;
    list.loss("1x2", 1, 2, Fill::Signed);
    list.loss("32x10", 32, 10, Fill::Signed);
    list.loss("13x3 ties", 13, 3, Fill::Ties);
    list.loss("7x101", 7, 101, Fill::Signed);
    return list.take();
}

}  // namespace lockstep::opcases
