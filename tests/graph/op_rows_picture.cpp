#include "op_rows.h"

namespace lockstep::test {
namespace {

const Attributes kValid{{"strides", List{1, 1}}, {"padding", std::string("valid")}};
const Attributes kSame{{"strides", List{2, 1}}, {"padding", std::string("same")}};
const Attributes kPool{{"window", List{2, 2}}, {"strides", List{2, 2}}, {"padding", std::string("valid")}};

Attributes grouped(const Attributes& attributes, std::int64_t groups) { return with(attributes, "groups", groups); }
Attributes dilated(const Attributes& attributes, const List& dilations) { return with(attributes, "dilations", dilations); }

}  // namespace

std::vector<Good> goodPictureRows() {
    using enum OpKind;
    return {
        {"conv groups", Conv2D, "f32[1,7,8,6] f32[3,5,3,4]", grouped(kValid, 2), "f32[1, 5, 4, 4]"},
        {"conv depthwise", Conv2D, "f32[1,7,8,3] f32[3,5,1,9] f32[9]", grouped(kSame, 3), "f32[1, 4, 8, 9]"},
        {"conv dilated", Conv2D, "f32[1,7,9,3] f32[3,3,3,4]", dilated(kValid, {2, 4}), "f32[1, 3, 1, 4]"},
        {"conv dilated same", Conv2D, "f32[1,7,9,3] f32[3,3,3,4]", dilated(kSame, {9, 9}), "f32[1, 4, 9, 4]"},
        {"conv dx groups", Conv2DInputGrad, "f32[1,5,4,4] f32[3,5,3,4]", with(grouped(kValid, 2), "input_shape", List{1, 7, 8, 6}),
         "f32[1, 7, 8, 6]"},
        {"conv dw dilated", Conv2DFilterGrad, "f32[1,7,9,3] f32[1,3,1,4]", with(dilated(kValid, {2, 4}), "filter_shape", List{3, 3, 3, 4}),
         "f32[3, 3, 3, 4]"},
        {"avg pool", AvgPool2D, "f32[1,5,4,3]", kPool, "f32[1, 2, 2, 3]"},
        {"avg pool grad", AvgPool2DGrad, "f32[1,2,2,3]", with(kPool, "input_shape", List{1, 5, 4, 3}), "f32[1, 5, 4, 3]"},
    };
}

std::vector<Bad> badPictureRows() {
    using enum OpKind;
    return {
        {"conv groups channels", Conv2D, "f32[1,7,8,6] f32[3,5,6,4]", grouped(kValid, 2), "S403", "is 6 / 2 groups, axis 2 of w"},
        {"conv groups odd", Conv2D, "f32[1,7,8,6] f32[3,5,3,5]", grouped(kValid, 2), "S403", "must be multiples of groups 2"},
        {"conv no groups", Conv2D, "f32[1,7,8,6] f32[3,5,6,4]", grouped(kValid, 0), "S403", "groups must be at least 1"},
        {"conv dilated small", Conv2D, "f32[1,7,9,3] f32[3,3,3,4]", dilated(kValid, {4, 1}), "S403", "smaller than the window"},
        {"conv dilation", Conv2D, "f32[1,7,9,3] f32[3,3,3,4]", dilated(kValid, {0, 1}), "S408", "two integers from 1 on"},
        {"conv dx groups", Conv2DInputGrad, "f32[1,5,4,4] f32[3,5,3,4]", with(kValid, "input_shape", List{1, 7, 8, 6}), "S403",
         "axis 3 of x"},
        {"avg pool small", AvgPool2D, "f32[1,1,4,3]", kPool, "S403", "smaller than the window [2, 2]"},
        {"avg pool rank", AvgPool2D, "f32[5,4,3]", kPool, "S403", "must have 4 axes"},
        {"avg pool grad", AvgPool2DGrad, "f32[1,2,2,3]", with(kPool, "input_shape", List{1, 6, 4, 3}), "S403",
         "must have shape [1, 3, 2, 3]"},
        {"avg pool grad no shape", AvgPool2DGrad, "f32[1,2,2,3]", kPool, "S408", "\"input_shape\" is missing"},
    };
}

}  // namespace lockstep::test
