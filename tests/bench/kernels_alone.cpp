#include "kernels_alone.h"

#include <dnnl.hpp>

#include <memory>
#include <utility>

extern "C" void omp_set_num_threads(int threads);  // of the OpenMP that oneDNN runs on

namespace lockstep::bench {
namespace {

using dnnl::memory;
using graph::Attributes;
using graph::OpKind;
using graph::Shape;

constexpr auto kType = memory::data_type::f32;
constexpr auto kDirect = dnnl::algorithm::convolution_direct;

struct Device {
    dnnl::engine engine{dnnl::engine::kind::cpu, 0};
    dnnl::stream stream{engine};
};

// A primitive with memory of its own.
class Kernel {
public:
    Kernel(const Device& device, dnnl::primitive primitive, const std::vector<std::pair<int, memory::desc>>& arguments)
        : m_stream(device.stream), m_primitive(std::move(primitive)) {
        for (const auto& [kind, desc] : arguments) {
            m_memories.emplace_back(desc, device.engine);
            const auto values = pattern(desc.get_size() / sizeof(float));
            std::copy(values.begin(), values.end(), static_cast<float*>(m_memories.back().get_data_handle()));
            m_arguments.push_back({kind, m_memories.back().get()});
        }
    }
    void run() { dnnl_primitive_execute(m_primitive.get(), m_stream.get(), static_cast<int>(m_arguments.size()), m_arguments.data()); }

private:
    dnnl::stream m_stream;
    dnnl::primitive m_primitive;
    std::vector<memory> m_memories;
    std::vector<dnnl_exec_arg_t> m_arguments;
};

struct Convolution {
    memory::desc x, w, y;
    memory::dims strides, dilates, before, after;

    Convolution(const Shape& xs, const Shape& ws, const Shape& ys, const Attributes& attributes) {
        const std::int64_t groups = graph::intAttributeOr(attributes, "groups", 1);
        const auto any = [](const memory::dims& dims) { return memory::desc(dims, kType, memory::format_tag::any); };
        x = any({xs[0], xs[3], xs[1], xs[2]});
        y = any({ys[0], ys[3], ys[1], ys[2]});
        w = groups == 1 ? any({ws[3], ws[2], ws[0], ws[1]}) : any({groups, ws[3] / groups, ws[2], ws[0], ws[1]});
        const auto& stride = graph::listAttribute(attributes, "strides");
        const auto dilation = graph::listAttributeOr(attributes, "dilations", {1, 1});
        for (std::size_t axis = 0; axis < 2; ++axis) {
            const auto window = graph::windowAxis(xs[axis + 1], graph::dilatedWindow(ws[axis], dilation[axis]), stride[axis],
                                                  graph::textAttribute(attributes, "padding"));
            strides.push_back(stride[axis]);
            dilates.push_back(dilation[axis] - 1);
            before.push_back(window.padBefore);
            after.push_back(window.padAfter);
        }
    }
    dnnl::convolution_forward::primitive_desc forward(const Device& device) const {
        return {{dnnl::prop_kind::forward_training, kDirect, x, w, y, strides, dilates, before, after}, device.engine};
    }
};

Kernel forwardOf(const Device& device, const Convolution& c) {
    const auto desc = c.forward(device);
    return {device,
            dnnl::convolution_forward(desc),
            {{DNNL_ARG_SRC, desc.src_desc()}, {DNNL_ARG_WEIGHTS, desc.weights_desc()}, {DNNL_ARG_DST, desc.dst_desc()}}};
}

Kernel inputGradOf(const Device& device, const Convolution& c) {
    const dnnl::convolution_backward_data::primitive_desc desc({kDirect, c.x, c.w, c.y, c.strides, c.dilates, c.before, c.after},
                                                               device.engine, c.forward(device));
    return {
        device,
        dnnl::convolution_backward_data(desc),
        {{DNNL_ARG_DIFF_SRC, desc.diff_src_desc()}, {DNNL_ARG_WEIGHTS, desc.weights_desc()}, {DNNL_ARG_DIFF_DST, desc.diff_dst_desc()}}};
}

Kernel filterGradOf(const Device& device, const Convolution& c) {
    const dnnl::convolution_backward_weights::primitive_desc desc({kDirect, c.x, c.w, c.y, c.strides, c.dilates, c.before, c.after},
                                                                  device.engine, c.forward(device));
    return {
        device,
        dnnl::convolution_backward_weights(desc),
        {{DNNL_ARG_SRC, desc.src_desc()}, {DNNL_ARG_DIFF_WEIGHTS, desc.diff_weights_desc()}, {DNNL_ARG_DIFF_DST, desc.diff_dst_desc()}}};
}

// C = op(A)·op(B) by oneDNN's primitive or its sgemm, whichever is faster here.
std::function<void()> productOf(const Device& device, std::int64_t m, std::int64_t n, std::int64_t k, bool turnA, bool turnB) {
    using Tag = memory::format_tag;
    const auto matrix = [](std::int64_t rows, std::int64_t columns, bool turn) {
        return memory::desc({rows, columns}, kType, turn ? Tag::ba : Tag::ab);
    };
    const auto a = matrix(m, k, turnA), b = matrix(k, n, turnB), c = matrix(m, n, false);
    const auto kernel =
        std::make_shared<Kernel>(device, dnnl::matmul(dnnl::matmul::primitive_desc(dnnl::matmul::desc(a, b, c), device.engine)),
                                 std::vector<std::pair<int, memory::desc>>{{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, c}});
    const auto left = std::make_shared<std::vector<float>>(pattern(static_cast<std::size_t>(m * k)));
    const auto right = std::make_shared<std::vector<float>>(pattern(static_cast<std::size_t>(k * n)));
    const auto out = std::make_shared<std::vector<float>>(static_cast<std::size_t>(m * n));
    const auto byPrimitive = [kernel] { kernel->run(); };
    const auto bySgemm = [=] {
        dnnl_sgemm(turnA ? 'T' : 'N', turnB ? 'T' : 'N', m, n, k, 1.0F, left->data(), turnA ? m : k, right->data(), turnB ? k : n, 0.0F,
                   out->data(), n);
    };
    std::vector<double> one, other;
    for (int round = 0; round < 9; ++round) {
        one.push_back(secondsOf(50, byPrimitive));
        other.push_back(secondsOf(50, bySgemm));
    }
    if (median(one) < median(other)) return byPrimitive;
    return bySgemm;
}

}  // namespace

KernelsAlone::KernelsAlone(const graph::Graph& graph, int threads) : m_threads(threads) {
    omp_set_num_threads(threads);
    const Device device;
    const auto add = [this](Kernel kernel) {
        m_kernels.push_back([owned = std::make_shared<Kernel>(std::move(kernel))] { owned->run(); });
    };
    for (const graph::Node& node : graph.nodes()) {
        const auto in = [&](std::size_t i) -> const Shape& { return graph.type(node.inputs[i]).shape; };
        const auto turned = [&](std::string_view name) { return graph::intAttributeOr(node.attributes, name, 0) != 0; };
        if (node.op == OpKind::Conv2D) add(forwardOf(device, {in(0), in(1), node.outputs[0].shape, node.attributes}));
        if (node.op == OpKind::Conv2DInputGrad) add(inputGradOf(device, {node.outputs[0].shape, in(1), in(0), node.attributes}));
        if (node.op == OpKind::Conv2DFilterGrad) add(filterGradOf(device, {in(0), node.outputs[0].shape, in(1), node.attributes}));
        if (node.op != OpKind::MatMul) continue;
        const bool turnA = turned("transpose_a");
        m_kernels.push_back(
            productOf(device, node.outputs[0].shape[0], node.outputs[0].shape[1], in(0)[turnA ? 0 : 1], turnA, turned("transpose_b")));
    }
}

double KernelsAlone::seconds(Counted clock) {
    omp_set_num_threads(m_threads);
    double sum = 0;
    for (const auto& kernel : m_kernels) {
        kernel();
        sum += secondsOf(2, kernel, clock);
    }
    return sum;
}

}  // namespace lockstep::bench
