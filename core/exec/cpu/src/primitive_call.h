// A oneDNN primitive with its memory objects made once; running it only points the memories at the buffers.
#pragma once

#include "buffers.h"

#include <dnnl.hpp>

#include <vector>

namespace lockstep::exec::cpu {

struct Device {
    dnnl::engine engine{dnnl::engine::kind::cpu, 0};
    dnnl::stream stream{engine};
};

// Attributes of every primitive here: its scratch memory is one of our buffers.
dnnl::primitive_attr callerScratchpad();

struct Argument {
    int kind;  // DNNL_ARG_…
    dnnl::memory::desc desc;
    BufferId buffer;
};

class PrimitiveCall {
public:
    PrimitiveCall(dnnl::primitive primitive, const Device& device, const std::vector<Argument>& arguments);
    dnnl_status_t run(Pointers pointers);

private:
    dnnl::primitive m_primitive;
    dnnl::stream m_stream;
    std::vector<dnnl::memory> m_memories;
    std::vector<BufferId> m_buffers;
    std::vector<const std::byte*> m_bound;  // where each memory points now
    std::vector<dnnl_exec_arg_t> m_arguments;
};

}  // namespace lockstep::exec::cpu
