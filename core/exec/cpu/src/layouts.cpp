#include "layouts.h"

namespace lockstep::exec::cpu {

using dnnl::memory;

memory::dims dimsOf(const graph::Shape& shape, Meaning meaning) {
    if (meaning == Meaning::Picture) return {shape[0], shape[3], shape[1], shape[2]};
    return {shape[3], shape[2], shape[0], shape[1]};
}

memory::desc plainDesc(const graph::Shape& shape, Meaning meaning) {
    const auto tag = meaning == Meaning::Picture ? memory::format_tag::nhwc : memory::format_tag::hwio;
    return {dimsOf(shape, meaning), memory::data_type::f32, tag};
}

memory::desc anyDesc(const graph::Shape& shape, Meaning meaning) {
    return {dimsOf(shape, meaning), memory::data_type::f32, memory::format_tag::any};
}

memory::desc vectorDesc(std::int64_t length) { return {{length}, memory::data_type::f32, memory::format_tag::a}; }

bool samePlaces(const memory::desc& a, const memory::desc& b) {
    if (a == b) return true;
    const dnnl_memory_desc_t& left = a.data;
    const dnnl_memory_desc_t& right = b.data;
    const auto isStrided = [](const dnnl_memory_desc_t& desc) {
        return desc.format_kind == dnnl_blocked && desc.format_desc.blocking.inner_nblks == 0 && desc.offset0 == 0;
    };
    if (!isStrided(left) || !isStrided(right) || a.dims() != b.dims() || left.data_type != right.data_type) return false;
    for (int axis = 0; axis < left.ndims; ++axis)
        if (left.dims[axis] > 1 && left.format_desc.blocking.strides[axis] != right.format_desc.blocking.strides[axis]) return false;
    return true;
}

Window windowOf(const graph::Attributes& attributes, const graph::Shape& in, std::int64_t height, std::int64_t width) {
    const auto& strides = graph::listAttribute(attributes, "strides");
    const auto padding = graph::textAttribute(attributes, "padding");
    const auto vertical = graph::windowAxis(in[1], height, strides[0], padding);
    const auto horizontal = graph::windowAxis(in[2], width, strides[1], padding);
    return {{strides[0], strides[1]}, {vertical.padBefore, horizontal.padBefore}, {vertical.padAfter, horizontal.padAfter}};
}

}  // namespace lockstep::exec::cpu
