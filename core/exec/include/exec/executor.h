// The contract of every executor: describe once (graph), compile once (Program), run many times without allocating.
//
// Ownership: an Executor must outlive its Programs. Threads: compile() from any one thread; the Programs of a family are used by one
// thread at a time; they may use helper threads of their own, pinned to CompileOptions::processors. exec/* folders never name each other.
//
// A family is one model's programs that take turns, as the step, the micro step of an accumulation and the evaluation: States of one
// name are one tensor, and their scratch memory is shared.
#pragma once

#include <base/result.h>
#include <exec/collectives.h>
#include <graph/graph.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::exec {

// Whether an op of this type runs on this executor, and if not why (one clause, for the plan page).
struct Support {
    bool supported = false;
    std::string reason;
};

// What a compiled family holds, in bytes.
struct MemoryReport {
    std::size_t weights = 0;         // States, but those of role slot
    std::size_t optimizerSlots = 0;  // States of role slot
    std::size_t gradients = 0;       // inputs of AllReduce or of updates
    std::size_t activations = 0;     // the rest of the arena
    std::size_t workspace = 0;       // scratch of kernels, re-ordered copies
    std::size_t library = 0;         // code, kernels made for these shapes, descriptions of steps; measured once, not planned
    std::size_t total() const { return weights + optimizerSlots + gradients + activations + workspace + library; }
};

struct CompileOptions {
    int threads = 1;                     // including the calling one
    std::vector<int> processors;         // where they are pinned; empty = wherever the calling thread may run
    Collectives* collectives = nullptr;  // needed when the graph has AllReduce nodes; outlives the Program
    bool timeOps = false;                // collect OpTime rows (adds a clock read per op)
    // Asked once by compileFamily(), when all is known and before the family's memory is taken; an error ends the compilation.
    std::function<Result<void>(const MemoryReport&)> allow;
    std::size_t guardBytes = 0;  // for tests: each buffer stands alone between guards of this size, see Program::intact()
};

struct CostReport {
    double flops = 0;
    double bytes = 0;
};

struct OpTime {
    std::string name;
    std::uint64_t calls = 0;
    double seconds = 0;
};

// Feeds of one step, in the order of the graph's Input nodes; each pointer holds the Input's whole tensor and stays valid during run().
struct StepInputs {
    std::span<const std::byte* const> feeds;
};

class Program {
public:
    virtual ~Program() = default;

    // One execution of the whole graph. No allocation, no lock, no log. Errors come from collectives (N4xx, R5xx) only; after one
    // the States may hold a partly applied step and must be restored.
    virtual Result<void> run(const StepInputs& inputs) = 0;

    // Result of an output of the graph after run(); valid until a program of the family runs. Empty when there is no such output.
    virtual std::span<const std::byte> output(std::string_view name) const = 0;

    // States by the order of the graph's State nodes, in the graph's (Keras') layout. Sizes must match the type exactly.
    virtual void readState(std::size_t index, std::span<std::byte> into) const = 0;
    virtual void writeState(std::size_t index, std::span<const std::byte> from) = 0;

    virtual MemoryReport memory() const = 0;  // of the whole family
    virtual CostReport cost() const = 0;
    virtual std::vector<OpTime> times() const { return {}; }

    // False when something wrote beside a buffer (only watched with CompileOptions::guardBytes > 0).
    virtual bool intact() const { return true; }
};

// Compiling throws std::bad_alloc or std::system_error where memory or a thread can't be had, and a program's run() the first of them.
class Executor {
public:
    virtual ~Executor() = default;
    virtual std::string_view name() const = 0;  // "ref", "cpu", "null"
    virtual Support supports(const graph::Node& node, std::span<const graph::TensorType> inputs) const = 0;

    // One program per graph, in their order. Every State starts as zero. Errors: S407 names the first unsupported node and the reason,
    // or two graphs with AllReduce nodes (their buckets would be the same); S419 two States of one name that differ in type or role.
    virtual Result<std::vector<std::unique_ptr<Program>>> compileFamily(std::span<const graph::Graph* const> graphs,
                                                                        const CompileOptions& options) = 0;
    // What compileFamily() would hold, by the same planning, without taking that memory. No collectives are needed. Errors: the same.
    virtual Result<MemoryReport> sizeFamily(std::span<const graph::Graph* const> graphs, const CompileOptions& options);
    // A family of one.
    Result<std::unique_ptr<Program>> compile(const graph::Graph& graph, const CompileOptions& options);
};

// The checks of compileFamily() that all executors share: every graph is legal and supported, States agree, one graph sums over ranks
// and has collectives to do so.
Result<void> checkFamily(const Executor& executor, std::span<const graph::Graph* const> graphs, const CompileOptions& options);
// The same where only sizes are asked for: no collectives are needed.
Result<void> checkSizing(const Executor& executor, std::span<const graph::Graph* const> graphs, CompileOptions options);

// The States of a family, each name once, in the order in which the graphs have them first.
struct FamilyStates {
    struct State {
        std::string name;
        std::size_t bytes = 0;
        bool isSlot = false;
    };
    std::vector<State> states;
    std::vector<std::vector<std::size_t>> places;  // [graph][its State, in order] → index in `states`
};
FamilyStates statesOf(std::span<const graph::Graph* const> graphs);

// The States, and the largest arena of the programs as exec/arena.h plans it: for executors whose own planning is no better known.
MemoryReport plannedMemory(std::span<const graph::Graph* const> graphs);

}  // namespace lockstep::exec
