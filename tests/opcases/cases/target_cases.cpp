#include "case_maker.h"

#include <limits>

namespace lockstep::opcases {
namespace {

class Targets : public CaseMaker {
public:
    void targets(std::int64_t rows, std::int64_t columns, Fill fill) {
        const Shape shape{rows, columns};
        const std::string name = shape.toText();
        const std::vector<Operand> logits = operands(shape, fill, Fill::Positive);
        const std::vector<Operand> probabilities = operands(shape, Fill::Positive, Fill::Positive);
        const Attributes none, smooth{{"label_smoothing", 0.1}}, given{{"from_logits", std::int64_t{0}}};
        both("categorical_cross_entropy", OpKind::CategoricalCrossEntropy, OpKind::CategoricalCrossEntropyGrad, name, logits, none);
        both("categorical_cross_entropy smooth", OpKind::CategoricalCrossEntropy, OpKind::CategoricalCrossEntropyGrad, name, logits,
             smooth);
        both("categorical_cross_entropy given", OpKind::CategoricalCrossEntropy, OpKind::CategoricalCrossEntropyGrad, name, probabilities,
             with(given, "label_smoothing", 0.1));
        both("binary_cross_entropy", OpKind::BinaryCrossEntropy, OpKind::BinaryCrossEntropyGrad, name, logits, smooth);
        both("binary_cross_entropy given", OpKind::BinaryCrossEntropy, OpKind::BinaryCrossEntropyGrad, name, probabilities, given);
        for (const char* kind : {"mse", "mae", "huber"}) {
            Attributes attributes{{"kind", std::string(kind)}};
            if (std::string(kind) == "huber") attributes.emplace("delta", 0.4);
            both(std::string("regression_loss ") + kind, OpKind::RegressionLoss, OpKind::RegressionLossGrad, name, logits, attributes);
        }
        add("binary_correct " + name, OpKind::BinaryCorrect, operands(shape, Fill::Positive, Fill::Bits), {{"threshold", 0.5}});
        add("confusion_counts even " + name, OpKind::ConfusionCounts, operands(shape, Fill::Positive, Fill::Bits),
            {{"kind", std::string("even")}, {"buckets", std::int64_t{7}}});
        add("confusion_counts above " + name, OpKind::ConfusionCounts, operands(shape, fill, Fill::Bits), {{"kind", std::string("above")}});
        add("confusion_counts top_k " + name, OpKind::ConfusionCounts, operands(shape, fill, Fill::Bits),
            {{"kind", std::string("top_k")}, {"k", std::int64_t{2}}});
        add("categorical_correct " + name, OpKind::CategoricalCorrect, operands(shape, fill, fill));
    }

    void sparse(std::int64_t rows, int classes, Fill fill) {
        const std::vector<Operand> operands = {
            {Shape{rows, classes}, fill}, {Shape{rows}, Fill::Labels, false, classes, 0, true}, constant({Shape{rows}, Fill::Weights})};
        const std::string name = operands[0].shape.toText();
        for (const std::int64_t k : {1, 3})
            add("top_k_correct " + std::to_string(k) + " " + name, OpKind::TopKCorrect, operands, {{"k", k}});
        std::vector<Operand> given = operands;
        given[0].fill = Fill::Positive;
        const Attributes attributes{{"from_logits", std::int64_t{0}}};
        add("softmax_cross_entropy given " + name, OpKind::SoftmaxCrossEntropy, given, attributes);
        add("softmax_cross_entropy_grad given " + name, OpKind::SoftmaxCrossEntropyGrad, given, attributes);
    }

private:
    static std::vector<Operand> operands(const Shape& shape, Fill prediction, Fill target) {
        return {{shape, prediction}, constant({shape, target}), constant({Shape{shape[0]}, Fill::Weights})};
    }
    void both(const std::string& what, OpKind loss, OpKind gradient, const std::string& name, const std::vector<Operand>& operands,
              const Attributes& attributes) {
        add(what + " " + name, loss, operands, attributes);
        add(what + " grad " + name, gradient, operands, attributes);
    }
};

}  // namespace

std::vector<OpCase> targetCases() {
    Targets list;
    list.targets(1, 1, Fill::Signed);
    list.targets(7, 13, Fill::Signed);
    list.targets(32, 10, Fill::Wide);
    list.sparse(1, 2, Fill::Signed);
    list.sparse(13, 7, Fill::Signed);
    list.sparse(11, 5, Fill::Ties);
    for (const Shape& shape : {Shape{}, Shape{17}, Shape{7, 13}}) {
        list.add("all_finite " + shape.toText(), OpKind::AllFinite, {{shape}, {Shape{3}}});
        const Operand bad{shape, Fill::Value, false, 0, std::numeric_limits<double>::infinity()};
        list.add("all_finite not " + shape.toText(), OpKind::AllFinite, {{Shape{3}}, bad});
    }
    return list.take();
}

}  // namespace lockstep::opcases
