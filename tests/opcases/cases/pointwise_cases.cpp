#include "case_maker.h"

namespace lockstep::opcases {

std::vector<OpCase> pointwiseCases() {
    CaseMaker list;
    for (const Shape& shape : {Shape{1, 1}, Shape{7, 13}, Shape{32, 128}, Shape{2, 5, 7, 3}, Shape{1, 6, 6, 16}, Shape{3, 26, 26, 32}}) {
        const std::string name = shape.toText();
        list.add("relu " + name, OpKind::Relu, {{shape}});
        list.add("relu_grad " + name, OpKind::ReluGrad, {{shape}, {shape, Fill::Ties}});
        list.add("add " + name, OpKind::Add, {{shape}, {shape}});
        list.add("bias_add " + name, OpKind::BiasAdd, {{shape}, {Shape{shape.back()}}});
        list.add("bias_grad " + name, OpKind::BiasGrad, {{shape}});
        list.add("reshape " + name, OpKind::Reshape, {{shape}}, {{"shape", std::vector<std::int64_t>{shape.elements()}}});
        list.add("square_sum " + name, OpKind::SquareSum, {{shape}, {Shape{17}}, {shape}});
        list.add("abs_sum " + name, OpKind::AbsSum, {{shape}, {Shape{17}}, {shape}});
        list.add("sign " + name, OpKind::Sign, {{shape}});
        list.add("sign ties " + name, OpKind::Sign, {{shape, Fill::Ties}});
        list.add("scale " + name, OpKind::Scale, {{shape}}, {{"factor", -0.3}});
        list.add("add_scaled " + name, OpKind::AddScaled, {{shape}, {shape}}, {{"factor", 0.0625}});
        list.add("mul " + name, OpKind::Mul, {{shape}, {shape}});
        list.add("mul_scalar " + name, OpKind::MulScalar, {{shape}, scalar(-1.75)});
        list.add("clip_by_norm over " + name, OpKind::ClipByNorm, {{shape}, scalar(3)}, {{"limit", 0.7}});
        list.add("clip_by_norm under " + name, OpKind::ClipByNorm, {{shape}, scalar(0.5)}, {{"limit", 0.7}});
        list.add("clip_value " + name, OpKind::ClipValue, {{shape}}, {{"limit", 0.4}});
    }
    list.add("scale scalar", OpKind::Scale, {{Shape{}}}, {{"factor", 3.0}});
    list.add("mul_scalar scalar", OpKind::MulScalar, {{Shape{}}, scalar(32768)});
    list.add("div_scalar", OpKind::DivScalar, {{Shape{7, 13}}, scalar(32768)});
    list.add("div_scalar picture", OpKind::DivScalar, {{Shape{2, 5, 7, 3}}, scalar(0.75)});
    list.add("update_if", OpKind::UpdateIf, {scalar(1)});
    list.add("clip_by_norm zero", OpKind::ClipByNorm, {{Shape{17}, Fill::Value}, scalar(0)}, {{"limit", 1.0}});
    list.add("clip_value ties", OpKind::ClipValue, {{Shape{13}, Fill::Ties}}, {{"limit", 1.0}});
    list.add("sqrt", OpKind::Sqrt, {{Shape{}, Fill::Positive}});
    list.add("square_sum long", OpKind::SquareSum, {{Shape{784, 128}}});
    return list.take();
}

}  // namespace lockstep::opcases
