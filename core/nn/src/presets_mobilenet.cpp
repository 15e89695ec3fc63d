// Depthwise separable blocks as MobileNet's (Howard et al. 2017), sized for pictures of 32 × 32: 543,050 parameters with ten classes.
#include "preset_layers.h"

namespace lockstep::nn {
namespace {

void addNormalised(LayerList& list, LayerSpec layer) {
    list.add(with(std::move(layer), {{"padding", std::string("same")}, {"use_bias", false}}));
    list.plain("batch_normalization");
    list.plain("re_lu");
}

}  // namespace

void addMobilenet(Architecture& model, std::int64_t classes) {
    LayerList list(model);
    addNormalised(list, convolution(32, 3));
    struct Block {
        std::int64_t filters, stride;
    };
    for (const Block block : {Block{64, 1}, {128, 2}, {128, 1}, {256, 2}, {256, 1}, {512, 2}, {512, 1}}) {
        addNormalised(list, {"depthwise_conv2d", {}, {{"kernel_size", std::int64_t{3}}, {"strides", block.stride}}, {}});
        addNormalised(list, convolution(block.filters, 1));
    }
    list.plain("global_average_pooling2d");
    list.dense(classes);
}

}  // namespace lockstep::nn
