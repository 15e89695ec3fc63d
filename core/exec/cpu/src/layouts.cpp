#include "layouts.h"

namespace lockstep::exec::cpu {

using dnnl::memory;

memory::dims dimsOf(const graph::Shape& shape, Form form) {
    if (form.meaning == Meaning::Plain) return shape.rank() == 0 ? memory::dims{1} : shape.dims();
    if (form.meaning == Meaning::Picture) return {shape[0], shape[3], shape[1], shape[2]};
    if (form.groups == 1) return {shape[3], shape[2], shape[0], shape[1]};
    return {form.groups, shape[3] / form.groups, shape[2], shape[0], shape[1]};
}

memory::desc plainDesc(const graph::Shape& shape, Form form, Element element) {
    const memory::dims dims = dimsOf(shape, form);
    if (form.meaning == Meaning::Plain) {
        memory::dims strides(dims.size(), 1);
        for (std::size_t axis = dims.size(); axis-- > 1;) strides[axis - 1] = strides[axis] * dims[axis];
        return {dims, element, strides};
    }
    if (form.groups > 1) {
        const std::int64_t out = shape[3], row = shape[2] * out;
        return {dims, element, memory::dims{out / form.groups, 1, out, shape[1] * row, row}};
    }
    const auto tag = form.meaning == Meaning::Picture ? memory::format_tag::nhwc : memory::format_tag::hwio;
    return {dims, element, tag};
}

memory::desc anyDesc(const graph::Shape& shape, Form form, Element element) {
    return {dimsOf(shape, form), element, memory::format_tag::any};
}

memory::desc with(memory::desc desc, Element element) {
    desc.data.data_type = dnnl::memory::convert_to_c(element);
    return desc;
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
    const auto dilations = graph::listAttributeOr(attributes, "dilations", {1, 1});
    const auto padding = graph::textAttribute(attributes, "padding");
    const auto vertical = graph::windowAxis(in[1], graph::dilatedWindow(height, dilations[0]), strides[0], padding);
    const auto horizontal = graph::windowAxis(in[2], graph::dilatedWindow(width, dilations[1]), strides[1], padding);
    return {{strides[0], strides[1]},
            {dilations[0] - 1, dilations[1] - 1},
            {vertical.padBefore, horizontal.padBefore},
            {vertical.padAfter, horizontal.padAfter}};
}

ChannelView channelViewOf(const graph::Shape& shape) {
    const auto channels = static_cast<std::size_t>(shape.back());
    return {1, channels, static_cast<std::size_t>(shape.elements() / shape[0]) / channels};
}

std::optional<ChannelView> channelViewOf(const memory::desc& picture) {
    const dnnl_memory_desc_t& desc = picture.data;
    if (desc.ndims != 4 || desc.format_kind != dnnl_blocked || desc.offset0 != 0) return std::nullopt;
    const auto& blocking = desc.format_desc.blocking;
    const bool inBlocks = blocking.inner_nblks == 1 && blocking.inner_idxs[0] == 1;
    if (!inBlocks && blocking.inner_nblks != 0) return std::nullopt;
    const auto width = inBlocks ? blocking.inner_blks[0] : desc.dims[1];
    const std::int64_t blocks = desc.padded_dims[1] / width, places = desc.dims[2] * desc.dims[3];
    const std::int64_t expected[] = {blocks * places * width, places * width, desc.dims[3] * width, width};
    for (int axis = 0; axis < 4; ++axis) {
        const bool matters = axis == 1 ? inBlocks && blocks > 1 : desc.dims[axis] > 1;
        if (matters && blocking.strides[axis] != expected[axis]) return std::nullopt;
    }
    if (!inBlocks && desc.dims[1] > 1 && blocking.strides[1] != 1) return std::nullopt;
    return ChannelView{static_cast<std::size_t>(blocks), static_cast<std::size_t>(width), static_cast<std::size_t>(places)};
}

}  // namespace lockstep::exec::cpu
