// The CPU executor: oneDNN for convolutions, pooling and matrix products, own vectorised loops for the rest; float32.
//
// Layouts: pictures stay in the layout oneDNN prefers between convolutions, activations and pooling; feeds, States, gradients that
// are reduced or applied, and outputs are in the graph's layout. Same inputs, thread count and instruction set: same bits.
// Threads: OpenMP threads of the thread that runs the program, CompileOptions::threads of them, pinned one per processor.
#pragma once

#include <exec/executor.h>

#include <memory>

namespace lockstep::exec::cpu {

std::unique_ptr<Executor> makeCpuExecutor();

}  // namespace lockstep::exec::cpu
