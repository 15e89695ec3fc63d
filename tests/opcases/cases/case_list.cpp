#include "op_case.h"

namespace lockstep::opcases {

using graph::Attributes;
using graph::OpKind;
using graph::Shape;

namespace {

using Pair = std::vector<std::int64_t>;

class List {
public:
    void add(std::string name, OpKind op, std::vector<Operand> operands, Attributes attributes = {}) {
        cases.push_back({std::move(name), op, std::move(operands), std::move(attributes)});
    }

    void matMul(const std::string& name, std::int64_t m, std::int64_t k, std::int64_t n) {
        for (const bool ta : {false, true})
            for (const bool tb : {false, true}) {
                Attributes attributes;
                if (ta) attributes.emplace("transpose_a", std::int64_t{1});
                if (tb) attributes.emplace("transpose_b", std::int64_t{1});
                add("matmul " + name + (ta ? " T" : " N") + (tb ? "T" : "N"), OpKind::MatMul,
                    {{ta ? Shape{k, m} : Shape{m, k}}, {tb ? Shape{n, k} : Shape{k, n}}}, attributes);
            }
        add("matmul " + name + " bias", OpKind::MatMul, {{Shape{m, k}}, {Shape{k, n}}, {Shape{n}}});
        add("matmul " + name + " bias relu", OpKind::MatMul, {{Shape{m, k}}, {Shape{k, n}}, {Shape{n}}},
            {{"activation", std::string("relu")}});
        add("matmul " + name + " relu", OpKind::MatMul, {{Shape{m, k}}, {Shape{k, n}}}, {{"activation", std::string("relu")}});
    }

    // A convolution and its two gradients.
    void conv2D(const std::string& name, const Shape& x, const Shape& w, const Pair& strides, const std::string& padding) {
        const Attributes attributes{{"strides", strides}, {"padding", padding}};
        const Shape y{x[0], graph::windowAxis(x[1], w[0], strides[0], padding).out, graph::windowAxis(x[2], w[1], strides[1], padding).out,
                      w[3]};
        add("conv2d " + name, OpKind::Conv2D, {{x}, {w}}, attributes);
        add("conv2d " + name + " bias", OpKind::Conv2D, {{x}, {w}, {Shape{w[3]}}}, attributes);
        Attributes fused = attributes;
        fused.emplace("activation", std::string("relu"));
        add("conv2d " + name + " bias relu", OpKind::Conv2D, {{x}, {w}, {Shape{w[3]}}}, fused);
        add("conv2d " + name + " relu", OpKind::Conv2D, {{x}, {w}}, fused);
        Attributes inputGrad = attributes;
        inputGrad.emplace("input_shape", x.dims());
        add("conv2d_input_grad " + name, OpKind::Conv2DInputGrad, {{y}, {w}}, inputGrad);
        Attributes filterGrad = attributes;
        filterGrad.emplace("filter_shape", w.dims());
        add("conv2d_filter_grad " + name, OpKind::Conv2DFilterGrad, {{x}, {y}}, filterGrad);
    }

    // y of the gradient's operands is only used to find the maxima again, so it need not be the true result here: x decides.
    void maxPool(const std::string& name, const Shape& x, const Pair& window, const Pair& strides, const std::string& padding, Fill fill) {
        const Attributes attributes{{"window", window}, {"strides", strides}, {"padding", padding}};
        const Shape y{x[0], graph::windowAxis(x[1], window[0], strides[0], padding).out,
                      graph::windowAxis(x[2], window[1], strides[1], padding).out, x[3]};
        add("max_pool2d " + name, OpKind::MaxPool2D, {{x, fill}}, attributes);
        add("max_pool2d_grad " + name, OpKind::MaxPool2DGrad, {{y}, {x, fill}, {y}}, attributes);
    }

    void loss(const std::string& name, std::int64_t rows, int classes, Fill logits) {
        const std::vector<Operand> operands = {
            {Shape{rows, classes}, logits}, {Shape{rows}, Fill::Labels, false, classes}, {Shape{rows}, Fill::Weights}};
        add("softmax_cross_entropy " + name, OpKind::SoftmaxCrossEntropy, operands);
        add("softmax_cross_entropy_grad " + name, OpKind::SoftmaxCrossEntropyGrad, operands);
        add("correct_predictions " + name, OpKind::CorrectPredictions, operands);
    }

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
        add("adam_update " + name, OpKind::AdamUpdate, {weight, {shape}, rate, step, slot, square},
            {{"beta_1", 0.9}, {"beta_2", 0.999}, {"epsilon", 1e-7}});
    }

    std::vector<OpCase> cases;
};

void addElementwise(List& list) {
    for (const Shape& shape : {Shape{1, 1}, Shape{7, 13}, Shape{32, 128}, Shape{2, 5, 7, 3}, Shape{1, 6, 6, 16}, Shape{3, 26, 26, 32}}) {
        const std::string name = shape.toText();
        list.add("relu " + name, OpKind::Relu, {{shape}});
        list.add("relu_grad " + name, OpKind::ReluGrad, {{shape}, {shape, Fill::Ties}});
        list.add("add " + name, OpKind::Add, {{shape}, {shape}});
        list.add("bias_add " + name, OpKind::BiasAdd, {{shape}, {Shape{shape.back()}}});
        list.add("bias_grad " + name, OpKind::BiasGrad, {{shape}});
        list.add("reshape " + name, OpKind::Reshape, {{shape}}, {{"shape", std::vector<std::int64_t>{shape.elements()}}});
        list.add("square_sum " + name, OpKind::SquareSum, {{shape}, {Shape{17}}, {shape}});
    }
    list.add("sqrt", OpKind::Sqrt, {{Shape{}, Fill::Positive}});
    list.add("square_sum long", OpKind::SquareSum, {{Shape{784, 128}}});
}

void addPictures(List& list) {
    list.conv2D("one pixel", {1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1}, "valid");
    list.conv2D("first of cnn", {4, 28, 28, 1}, {3, 3, 1, 32}, {1, 1}, "valid");
    list.conv2D("second of cnn", {4, 13, 13, 32}, {3, 3, 32, 64}, {1, 1}, "valid");
    list.conv2D("primes same", {3, 7, 11, 5}, {3, 3, 5, 13}, {1, 1}, "same");
    list.conv2D("even same stride 2", {2, 8, 8, 3}, {3, 3, 3, 16}, {2, 2}, "same");
    list.conv2D("odd same stride 2", {2, 9, 7, 16}, {3, 3, 16, 8}, {2, 2}, "same");
    list.conv2D("even filter same", {2, 6, 6, 4}, {2, 4, 4, 7}, {1, 1}, "same");
    list.conv2D("point stride 2", {2, 8, 8, 16}, {1, 1, 16, 32}, {2, 2}, "same");
    list.conv2D("oblong valid stride 3 1", {1, 11, 5, 2}, {5, 1, 2, 3}, {3, 1}, "valid");
    list.maxPool("2x2 even", {2, 8, 8, 16}, {2, 2}, {2, 2}, "valid", Fill::Signed);
    list.maxPool("2x2 odd rest dropped", {4, 11, 11, 64}, {2, 2}, {2, 2}, "valid", Fill::Signed);
    list.maxPool("2x2 ties", {2, 6, 6, 3}, {2, 2}, {2, 2}, "valid", Fill::Ties);
    list.maxPool("3x3 overlapping ties", {2, 9, 9, 16}, {3, 3}, {2, 2}, "valid", Fill::Ties);
    list.maxPool("2x2 same odd", {1, 7, 5, 2}, {2, 2}, {2, 2}, "same", Fill::Signed);
    list.maxPool("3x3 same even ties", {2, 8, 8, 5}, {3, 3}, {2, 2}, "same", Fill::Ties);
    list.maxPool("3x2 stride 1 same", {1, 5, 6, 7}, {3, 2}, {1, 1}, "same", Fill::Signed);
    list.maxPool("1x1", {1, 3, 3, 1}, {1, 1}, {1, 1}, "valid", Fill::Signed);
}

}  // namespace

const std::vector<OpCase>& caseList() {
    static const std::vector<OpCase> all = [] {
        List list;
        list.matMul("1x1x1", 1, 1, 1);
        list.matMul("1x7x13", 1, 7, 13);
        list.matMul("17x31x5", 17, 31, 5);
        list.matMul("32x784x128", 32, 784, 128);
        list.matMul("32x128x10", 32, 128, 10);
        list.matMul("128x64x10", 128, 64, 10);
        addPictures(list);
        addElementwise(list);
        list.loss("1x2", 1, 2, Fill::Signed);
        list.loss("32x10", 32, 10, Fill::Signed);
        list.loss("13x3 ties", 13, 3, Fill::Ties);
        list.loss("7x101", 7, 101, Fill::Signed);
        list.updates("[1]", {1});
        list.updates("[128, 10]", {128, 10});
        list.updates("[7, 11, 13]", {7, 11, 13});
        return std::move(list.cases);
    }();
    return all;
}

}  // namespace lockstep::opcases
