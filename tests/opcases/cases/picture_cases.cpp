#include "case_maker.h"

namespace lockstep::opcases {
namespace {

class Pictures : public CaseMaker {
public:
    // A convolution and its two gradients.
    void conv2D(const std::string& name, const Shape& x, const Shape& w, const Pair& strides, const std::string& padding,
                const Pair& dilations = {}, std::int64_t groups = 1) {
        Attributes attributes{{"strides", strides}, {"padding", padding}};
        if (!dilations.empty()) attributes.emplace("dilations", dilations);
        if (groups != 1) attributes.emplace("groups", groups);
        const auto out = [&](std::size_t axis) {
            const std::int64_t window = graph::dilatedWindow(w[axis], dilations.empty() ? 1 : dilations[axis]);
            return graph::windowAxis(x[axis + 1], window, strides[axis], padding).out;
        };
        const Shape y{x[0], out(0), out(1), w[3]};
        const Attributes fused = with(attributes, "activation", std::string("relu"));
        add("conv2d " + name, OpKind::Conv2D, {{x}, {w}}, attributes);
        add("conv2d " + name + " bias", OpKind::Conv2D, {{x}, {w}, {Shape{w[3]}}}, attributes);
        add("conv2d " + name + " bias relu", OpKind::Conv2D, {{x}, {w}, {Shape{w[3]}}}, fused);
        add("conv2d " + name + " relu", OpKind::Conv2D, {{x}, {w}}, fused);
        add("conv2d_input_grad " + name, OpKind::Conv2DInputGrad, {{y}, {w}}, with(attributes, "input_shape", x.dims()));
        add("conv2d_filter_grad " + name, OpKind::Conv2DFilterGrad, {{x}, {y}}, with(attributes, "filter_shape", w.dims()));
    }

    // y of the gradient's operands is only used to find the maxima again, so it need not be the true result here: x decides.
    void pool(const std::string& name, const Shape& x, const Pair& window, const Pair& strides, const std::string& padding, Fill fill) {
        const Attributes attributes{{"window", window}, {"strides", strides}, {"padding", padding}};
        const Shape y{x[0], graph::windowAxis(x[1], window[0], strides[0], padding).out,
                      graph::windowAxis(x[2], window[1], strides[1], padding).out, x[3]};
        add("max_pool2d " + name, OpKind::MaxPool2D, {{x, fill}}, attributes);
        add("max_pool2d_grad " + name, OpKind::MaxPool2DGrad, {{y}, {x, fill}, {y}}, attributes);
        if (fill == Fill::Ties) return;
        add("avg_pool2d " + name, OpKind::AvgPool2D, {{x}}, attributes);
        add("avg_pool2d_grad " + name, OpKind::AvgPool2DGrad, {{y}}, with(attributes, "input_shape", x.dims()));
    }
};

void addConvolutions(Pictures& list) {
    list.conv2D("one pixel", {1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1}, "valid");
    list.conv2D("first of cnn", {4, 28, 28, 1}, {3, 3, 1, 32}, {1, 1}, "valid");
    list.conv2D("second of cnn", {4, 13, 13, 32}, {3, 3, 32, 64}, {1, 1}, "valid");
    list.conv2D("primes same", {3, 7, 11, 5}, {3, 3, 5, 13}, {1, 1}, "same");
    list.conv2D("even same stride 2", {2, 8, 8, 3}, {3, 3, 3, 16}, {2, 2}, "same");
    list.conv2D("odd same stride 2", {2, 9, 7, 16}, {3, 3, 16, 8}, {2, 2}, "same");
    list.conv2D("even filter same", {2, 6, 6, 4}, {2, 4, 4, 7}, {1, 1}, "same");
    list.conv2D("point stride 2", {2, 8, 8, 16}, {1, 1, 16, 32}, {2, 2}, "same");
    list.conv2D("oblong valid stride 3 1", {1, 11, 5, 2}, {5, 1, 2, 3}, {3, 1}, "valid");
}

void addGroupsAndDilations(Pictures& list) {
    list.conv2D("depthwise same", {2, 9, 7, 5}, {3, 3, 1, 5}, {1, 1}, "same", {}, 5);
    list.conv2D("depthwise 16 stride 2", {2, 8, 8, 16}, {3, 3, 1, 16}, {2, 2}, "same", {}, 16);
    list.conv2D("depthwise times 3", {1, 7, 5, 7}, {3, 3, 1, 21}, {1, 1}, "valid", {}, 7);
    list.conv2D("two groups", {2, 6, 5, 6}, {3, 2, 3, 8}, {1, 1}, "same", {}, 2);
    list.conv2D("three groups one row", {1, 1, 1, 3}, {1, 1, 1, 3}, {1, 1}, "valid", {}, 3);
    list.conv2D("dilated valid", {2, 11, 9, 3}, {3, 3, 3, 5}, {1, 1}, "valid", {2, 2});
    list.conv2D("dilated same odd", {1, 7, 13, 2}, {3, 2, 2, 4}, {1, 1}, "same", {3, 2});
    list.conv2D("dilated stride 2", {2, 12, 10, 4}, {3, 3, 4, 3}, {2, 2}, "same", {2, 1});
    list.conv2D("dilated groups", {1, 9, 9, 4}, {3, 3, 2, 6}, {1, 1}, "same", {2, 2}, 2);
}

void addPools(Pictures& list) {
    list.pool("2x2 even", {2, 8, 8, 16}, {2, 2}, {2, 2}, "valid", Fill::Signed);
    list.pool("2x2 odd rest dropped", {4, 11, 11, 64}, {2, 2}, {2, 2}, "valid", Fill::Signed);
    list.pool("2x2 ties", {2, 6, 6, 3}, {2, 2}, {2, 2}, "valid", Fill::Ties);
    list.pool("3x3 overlapping ties", {2, 9, 9, 16}, {3, 3}, {2, 2}, "valid", Fill::Ties);
    list.pool("2x2 same odd", {1, 7, 5, 2}, {2, 2}, {2, 2}, "same", Fill::Signed);
    list.pool("3x3 same even ties", {2, 8, 8, 5}, {3, 3}, {2, 2}, "same", Fill::Ties);
    list.pool("3x3 same even", {2, 8, 8, 5}, {3, 3}, {2, 2}, "same", Fill::Signed);
    list.pool("3x2 stride 1 same", {1, 5, 6, 7}, {3, 2}, {1, 1}, "same", Fill::Signed);
    list.pool("whole picture", {3, 7, 5, 13}, {7, 5}, {1, 1}, "valid", Fill::Signed);
    list.pool("1x1", {1, 3, 3, 1}, {1, 1}, {1, 1}, "valid", Fill::Signed);
}

}  // namespace

std::vector<OpCase> pictureCases() {
    Pictures list;
    addConvolutions(list);
    addGroupsAndDilations(list);
    addPools(list);
    return list.take();
}

}  // namespace lockstep::opcases
