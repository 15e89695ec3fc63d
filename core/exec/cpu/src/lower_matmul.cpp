#include "lowering.h"

namespace lockstep::exec::cpu {

using dnnl::memory;

namespace {

// Measured on one core (step_bench): from here on oneDNN's matmul primitive is ahead of its sgemm when the left side is not turned.
constexpr std::int64_t kRowsForPrimitive = 96;

bool flag(const graph::Node& node, std::string_view name) { return graph::intAttributeOr(node.attributes, name, 0) != 0; }

}  // namespace

void Lowering::lowerMatMul() {
    if (elementOf(result()) == Element::bf16) {
        if (node().inputs.size() == 3) plain(input(2));
        const BufferId a = as(input(0), plainDesc(shape(input(0)), Meaning::Plain, Element::bf16), Meaning::Plain);
        const BufferId b = as(input(1), plainDesc(shape(input(1)), Meaning::Plain, Element::bf16), Meaning::Plain);
        return emitFusedProduct(a, b, definePlain(result()));
    }
    const BufferId a = plain(input(0));
    const BufferId b = plain(input(1));
    const bool hasBias = node().inputs.size() == 3;
    const bool rectify = graph::textAttributeOr(node().attributes, "activation", "") == "relu";
    const std::int64_t first = shape(result())[0], inner = shape(input(0)).back();
    const bool ofWeight = m_graph.node(input(1).node).op == graph::OpKind::State;
    const bool turnsB = flag(node(), "transpose_b");
    if (ofWeight && !flag(node(), "transpose_a") && !turnsB && sharesRows(first, inner, shape(result())[1])) {
        const std::optional<BufferId> bias = hasBias ? std::optional(plain(input(2))) : std::nullopt;
        return emitSharedProduct(a, b, bias, definePlain(result()), rectify);
    }
    if (flag(node(), "transpose_a") && !turnsB && !hasBias && isUpdatedHere(result()) &&
        sharesRows(shape(input(0))[0], first, shape(result())[1]))
        return emitSharedGradient(a, b, definePlain(result()));
    if (!flag(node(), "transpose_a") && shape(result())[0] >= kRowsForPrimitive) {
        if (hasBias) plain(input(2));
        return emitFusedProduct(a, b, definePlain(result()));
    }
    const BufferId bias = hasBias ? plain(input(2)) : a;
    const BufferId out = definePlain(result());
    emitGemm(a, b, out);
    const auto rows = static_cast<std::size_t>(shape(result())[0]);
    const auto columns = static_cast<std::size_t>(shape(result())[1]);
    const Loops& loops = m_loops;
    if (hasBias)
        emit({out, bias}, [=, &loops](Pointers p) {
            loops.pointwise.biasAdd(floats(p, out), floats(p, bias), floats(p, out), rows, columns, rectify ? 1 : 0);
        });
    else if (rectify)
        emit({out}, [=, &loops](Pointers p) { loops.pointwise.relu(floats(p, out), floats(p, out), rows * columns, 0); });
}

void Lowering::emitGemm(BufferId a, BufferId b, BufferId out) {
    const bool transposeA = flag(node(), "transpose_a");
    const bool transposeB = flag(node(), "transpose_b");
    const std::int64_t m = shape(result())[0];
    const std::int64_t n = shape(result())[1];
    const std::int64_t k = shape(input(0))[transposeA ? 0 : 1];
    const std::int64_t leadA = transposeA ? m : k;
    const std::int64_t leadB = transposeB ? k : n;
    Step& step = addStep(StepKind::Compute, {a, b, out});
    step.threads = threadsFor(2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k));
    if (step.threads > 1) m_shared.insert(result());
    step.run = [=](Pointers p) {
        return dnnl_sgemm(transposeA ? 'T' : 'N', transposeB ? 'T' : 'N', m, n, k, 1.0F, floats(p, a), leadA, floats(p, b), leadB, 0.0F,
                          floats(p, out), n);
    };
}

void Lowering::emitFusedProduct(BufferId a, BufferId b, BufferId out) {
    using Tag = memory::format_tag;
    const auto matrix = [this](graph::Value value, bool turned, Element element) {
        memory::dims dims = shape(value).dims();
        if (turned) std::swap(dims[0], dims[1]);
        return memory::desc(dims, element, turned ? Tag::ba : Tag::ab);
    };
    const Element element = elementOf(result());
    const memory::desc left = matrix(input(0), flag(node(), "transpose_a"), element);
    const memory::desc right = matrix(input(1), flag(node(), "transpose_b"), element);
    const memory::desc product = matrix(result(), false, Element::f32);
    dnnl::primitive_attr attributes = callerScratchpad();
    if (graph::textAttributeOr(node().attributes, "activation", "") == "relu") {
        dnnl::post_ops after;
        after.append_eltwise(1.0F, dnnl::algorithm::eltwise_relu, 0.0F, 0.0F);
        attributes.set_post_ops(after);
    }
    std::vector<Argument> arguments = {{DNNL_ARG_SRC, left, a}, {DNNL_ARG_WEIGHTS, right, b}, {DNNL_ARG_DST, product, out}};
    dnnl::matmul::desc operation(left, right, product);
    if (node().inputs.size() == 3) {
        const memory::desc bias({1, shape(result())[1]}, memory::data_type::f32, Tag::ab);
        operation = dnnl::matmul::desc(left, right, bias, product);
        arguments.push_back({DNNL_ARG_BIAS, bias, plain(input(2))});
    }
    const dnnl::matmul::primitive_desc desc(operation, attributes, m_device.engine);
    emitPrimitive(dnnl::matmul(desc), desc.scratchpad_desc(), std::move(arguments));
}

void Lowering::lowerBatchMatMul() {
    using Tag = memory::format_tag;
    const Element element = elementOf(result());
    const auto matrices = [this](graph::Value value, bool turned, Element of) {
        const graph::Shape& shape = m_graph.type(value).shape;
        std::int64_t rows = shape[shape.rank() - 2], columns = shape.back();
        const std::int64_t count = shape.elements() / (rows * columns);
        if (turned) std::swap(rows, columns);
        return memory::desc({count, rows, columns}, of, turned ? Tag::acb : Tag::abc);
    };
    const memory::desc left = matrices(input(0), flag(node(), "transpose_a"), element);
    const memory::desc right = matrices(input(1), flag(node(), "transpose_b"), element);
    const memory::desc product = matrices(result(), false, Element::f32);
    const dnnl::matmul::primitive_desc desc({left, right, product}, callerScratchpad(), m_device.engine);
    const auto operand = [&](graph::Value value) {
        return element == Element::f32 ? plain(value) : as(value, plainDesc(shape(value), Meaning::Plain, element), Meaning::Plain);
    };
    const BufferId a = operand(input(0)), b = operand(input(1)), out = definePlain(result());
    emitPrimitive(dnnl::matmul(desc), desc.scratchpad_desc(),
                  {{DNNL_ARG_SRC, left, a}, {DNNL_ARG_WEIGHTS, right, b}, {DNNL_ARG_DST, product, out}});
}

}  // namespace lockstep::exec::cpu
