#include <exec_cpu/bfloat16_probe.h>

#include "loops.h"
#include "primitive_call.h"

#include <omp.h>

#include <algorithm>
#include <vector>

namespace lockstep::exec::cpu {
namespace {

using dnnl::memory;
using std::chrono::steady_clock;

constexpr std::int64_t kSide = 256;

// A square product of ones.
class Product {
public:
    explicit Product(memory::data_type element) : m_element(element) {
        const auto matrix = [](memory::data_type type) { return memory::desc({kSide, kSide}, type, memory::format_tag::ab); };
        const dnnl::matmul::primitive_desc desc({matrix(element), matrix(element), matrix(memory::data_type::f32)}, m_device.engine);
        m_left = filled(matrix(element));
        m_right = filled(matrix(element));
        m_result = memory(matrix(memory::data_type::f32), m_device.engine);
        m_product = dnnl::matmul(desc);
    }
    double seconds() {
        const auto begin = steady_clock::now();
        m_product.execute(m_device.stream, {{DNNL_ARG_SRC, m_left}, {DNNL_ARG_WEIGHTS, m_right}, {DNNL_ARG_DST, m_result}});
        m_device.stream.wait();
        return Seconds(steady_clock::now() - begin).count();
    }

private:
    memory filled(const memory::desc& desc) {
        memory result(desc, m_device.engine);
        constexpr std::uint16_t kOne = 0x3f80;  // in bfloat16
        if (m_element == memory::data_type::bf16)
            std::fill_n(static_cast<std::uint16_t*>(result.get_data_handle()), kSide * kSide, kOne);
        else
            std::fill_n(static_cast<float*>(result.get_data_handle()), kSide * kSide, 1.0F);
        return result;
    }

    memory::data_type m_element;
    Device m_device;
    memory m_left, m_right, m_result;
    dnnl::matmul m_product;
};

}  // namespace

Bfloat16Products probeBfloat16(Seconds time) {
    Bfloat16Products found;
    found.kernels = multipliesBfloat16();
    const int before = omp_get_max_threads();
    omp_set_num_threads(1);
    constexpr double kOperations = 2.0 * kSide * kSide * kSide;
    Product wide(memory::data_type::f32);
    std::vector<Product> narrow;
    if (found.kernels) narrow.emplace_back(memory::data_type::bf16);
    const auto end = steady_clock::now() + time;
    do {
        found.float32PerSecond = std::max(found.float32PerSecond, kOperations / wide.seconds());
        for (Product& product : narrow) found.bfloat16PerSecond = std::max(found.bfloat16PerSecond, kOperations / product.seconds());
    } while (steady_clock::now() < end);
    omp_set_num_threads(before);
    return found;
}

}  // namespace lockstep::exec::cpu
