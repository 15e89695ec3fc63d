// Runs one case on one executor.
#pragma once

#include "op_case.h"

#include <exec/executor.h>

#include <memory>

namespace lockstep::opcases {

// A compiled case with its operands bound; feeds stand between guard bytes.
class CaseRun {
public:
    // `holdable`: operands that are not wide (operandType) are first rounded to what this type holds.
    static Result<CaseRun> create(const OpCase& opCase, graph::DType dtype, exec::Executor& executor, const exec::CompileOptions& options,
                                  graph::DType holdable = graph::DType::F32);

    // Writes the States anew and runs once.
    Result<void> run();
    std::vector<double> output(std::size_t index) const;
    std::vector<std::byte> outputBytes(std::size_t index) const;
    graph::DType outputType(std::size_t index) const;
    std::size_t outputCount() const { return m_graph.outputs().size(); }
    // Whether all guards, around feeds and inside the program, are as they were.
    bool intact() const;

private:
    CaseRun() = default;
    struct Feed {
        std::vector<std::byte> bytes;  // guard, tensor, guard
        std::size_t state = 0;         // index among the States
        bool isState = false;
    };
    graph::Graph m_graph;
    std::unique_ptr<exec::Program> m_program;
    std::vector<Feed> m_feeds;
};

// What the executor says to the op of a case.
Result<exec::Support> supportOf(const OpCase& opCase, graph::DType dtype, const exec::Executor& executor);

std::vector<std::byte> toBytes(const std::vector<double>& values, graph::DType dtype);
std::vector<double> toDoubles(std::span<const std::byte> bytes, graph::DType dtype);

// √(Σ(a − b)² / Σb²); the plain √Σ(a − b)² when b is all zero.
double normalisedError(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace lockstep::opcases
