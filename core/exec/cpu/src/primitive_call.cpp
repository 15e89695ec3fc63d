#include "primitive_call.h"

namespace lockstep::exec::cpu {

dnnl::primitive_attr callerScratchpad() {
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    return attributes;
}

PrimitiveCall::PrimitiveCall(dnnl::primitive primitive, const Device& device, const std::vector<Argument>& arguments)
    : m_primitive(std::move(primitive)), m_stream(device.stream), m_bound(arguments.size(), nullptr) {
    for (const auto& argument : arguments) {
        m_memories.push_back(dnnl::memory(argument.desc, device.engine, DNNL_MEMORY_NONE));
        m_buffers.push_back(argument.buffer);
        m_arguments.push_back({argument.kind, m_memories.back().get()});
    }
}

dnnl_status_t PrimitiveCall::run(Pointers pointers) {
    for (std::size_t i = 0; i < m_buffers.size(); ++i) {
        std::byte* place = pointers[m_buffers[i]];
        if (place == m_bound[i]) continue;  // only feeds move after the first run
        const auto status = dnnl_memory_set_data_handle_v2(m_arguments[i].memory, place, m_stream.get());
        if (status != dnnl_success) return status;
        m_bound[i] = place;
    }
    return dnnl_primitive_execute(m_primitive.get(), m_stream.get(), static_cast<int>(m_arguments.size()), m_arguments.data());
}

}  // namespace lockstep::exec::cpu
