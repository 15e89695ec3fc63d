#include "case_maker.h"

namespace lockstep::opcases {
namespace {

class Activations : public CaseMaker {
public:
    void activations(const Shape& shape) {
        for (const char* kind : {"relu6", "leaky_relu", "elu", "gelu", "gelu_tanh", "silu", "tanh", "sigmoid", "softplus"}) {
            const Attributes attributes{{"kind", std::string(kind)}};
            const std::string name = std::string(kind) + " " + shape.toText();
            add("activate " + name, OpKind::Activate, {{shape, Fill::Wide}}, attributes);
            add("activate_grad " + name, OpKind::ActivateGrad, {{shape}, {shape, Fill::Wide}}, attributes);
        }
        const Attributes leaky{{"kind", std::string("leaky_relu")}, {"alpha", 0.01}};
        const Attributes elu{{"kind", std::string("elu")}, {"alpha", 0.5}};
        add("activate leaky_relu alpha " + shape.toText(), OpKind::Activate, {{shape}}, leaky);
        add("activate elu alpha " + shape.toText(), OpKind::Activate, {{shape}}, elu);
    }

    void softmax(const Shape& shape, Fill fill) {
        const std::string name = shape.toText();
        add("softmax " + name, OpKind::Softmax, {{shape, fill}});
        add("softmax_grad " + name, OpKind::SoftmaxGrad, {{shape}, positive(shape)});
    }

    void dropout(const Shape& shape, double rate, double firstRow) {
        const Attributes attributes{{"rate", rate}, {"seed", std::int64_t{-7}}};
        add("dropout " + shape.toText() + " from row " + std::to_string(static_cast<int>(firstRow)), OpKind::Dropout,
            {{shape}, scalar(3), scalar(firstRow)}, attributes);
    }

    void layerNorm(const Shape& shape) {
        const Attributes epsilon{{"epsilon", 1e-3}};
        const Shape rows({shape.dims().begin(), shape.dims().end() - 1}), columns{shape.back()};
        add("layer_norm " + shape.toText(), OpKind::LayerNorm, {{shape}, {columns}, {columns}}, epsilon);
        add("layer_norm_grad " + shape.toText(), OpKind::LayerNormGrad, {{shape}, {shape}, {rows}, positive(rows), {columns}});
    }
};

}  // namespace

std::vector<OpCase> activationCases() {
    Activations list;
    for (const Shape& shape : {Shape{1, 1}, Shape{7, 13}, Shape{2, 5, 7, 3}}) list.activations(shape);
    list.softmax({1, 1}, Fill::Signed);
    list.softmax({7, 13}, Fill::Wide);
    list.softmax({2, 3, 5, 11}, Fill::Ties);
    list.softmax({17}, Fill::Signed);
    list.dropout({1, 1}, 0.5, 0);
    list.dropout({7, 13}, 0.25, 0);
    list.dropout({3, 13}, 0.25, 4);
    list.dropout({2, 5, 7, 3}, 0.0, 1);
    list.dropout({5, 8}, 1.0, 0);
    for (const Shape& shape : {Shape{1, 2}, Shape{7, 13}, Shape{2, 3, 5, 11}, Shape{64, 32}, Shape{5, 1}}) list.layerNorm(shape);
    return list.take();
}

}  // namespace lockstep::opcases
