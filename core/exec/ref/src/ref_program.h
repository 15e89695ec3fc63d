// A compiled reference program: a list of bound kernels, one buffer per value. States belong to the family.
#pragma once

#include "kernel.h"

#include <exec/executor.h>

namespace lockstep::exec::ref {

// Each buffer stands between two guards.
class Storage {
public:
    explicit Storage(std::size_t guardBytes) : m_guardBytes(guardBytes) {}
    std::byte* allocate(std::size_t size);  // zeroed
    bool intact() const;

private:
    std::size_t m_guardBytes;
    std::vector<std::vector<std::byte>> m_buffers;
};

// The States of a family, by FamilyStates::states.
struct SharedStates {
    Storage storage;
    std::vector<std::byte*> places;
};

class RefProgram final : public Program {
public:
    // `places`: this graph's States among the shared ones.
    RefProgram(graph::Graph graph, const CompileOptions& options, std::shared_ptr<SharedStates> shared, std::vector<std::size_t> places);

    Result<void> run(const StepInputs& inputs) override;
    std::span<const std::byte> output(std::string_view name) const override;
    void readState(std::size_t index, std::span<std::byte> into) const override;
    void writeState(std::size_t index, std::span<const std::byte> from) override;
    MemoryReport memory() const override;
    CostReport cost() const override;
    std::vector<OpTime> times() const override { return m_times; }
    bool intact() const override;

private:
    struct Bucket {
        int number = 0;
        graph::DType dtype{};
        std::span<std::byte> memory;
        std::vector<std::span<const std::byte>> parts;  // the inputs, copied in when the node's turn comes
    };
    // An operand in 16 bits and the floats the kernel sees instead.
    struct Wide {
        graph::DType dtype{};
        std::size_t count = 0;
        std::byte* narrow = nullptr;
        std::byte* wide = nullptr;
    };
    struct Task {
        Kernel kernel = nullptr;  // none: sources and all_reduce
        Call call;
        std::vector<Wide> widened, rounded;  // before and after the kernel
        Bucket* starts = nullptr;
        std::vector<int> waits;                // buckets that must have arrived before this task
        const std::byte* condition = nullptr;  // an update: it does nothing when this scalar (of the node's type) is 0
    };

    void bind(graph::NodeId id);
    void bindWide(Task& task);
    void placeOutputs(graph::NodeId id);
    void placeBucket(graph::NodeId id);
    void planWaits();
    Result<void> startBucket(Bucket& bucket);
    Result<void> runTask(std::size_t index);
    static bool isOff(const Task& task);
    std::byte* at(graph::Value value) { return m_values[value.node.value][value.output]; }
    const std::byte* at(graph::Value value) const { return m_values[value.node.value][value.output]; }

    graph::Graph m_graph;
    Collectives* m_collectives;
    bool m_timeOps;
    Storage m_storage;
    std::shared_ptr<SharedStates> m_shared;
    std::vector<std::size_t> m_statePlaces;
    std::vector<std::vector<std::byte*>> m_values;  // by node, output
    std::vector<std::unique_ptr<Bucket>> m_buckets;
    std::vector<Task> m_tasks;               // by node
    const std::byte* m_condition = nullptr;  // of the updates that are bound next
    std::vector<int> m_waitsAtEnd;
    std::vector<graph::NodeId> m_inputs;
    std::vector<graph::NodeId> m_states;
    std::vector<OpTime> m_times;
};

}  // namespace lockstep::exec::ref
