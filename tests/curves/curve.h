// A recorded training curve of Keras (tests/fixtures/keras) and the same training run by an executor of ours.
#pragma once

#include <base/result.h>
#include <data/dataset.h>
#include <exec/executor.h>
#include <graph/graph.h>
#include <nn/optimizer.h>

#include <memory>
#include <string>
#include <vector>

namespace lockstep::curves {

struct RecordedWeight {
    std::vector<std::int64_t> shape;
    std::vector<std::size_t> at;  // places in C order
    std::vector<double> values;   // of the float64 run, after the last step
};

struct RecordedCurve {
    std::string model;
    nn::OptimizerOptions optimizer;
    std::int64_t batch = 0;
    std::vector<double> losses;  // per step, of the float64 run
    std::vector<double> gradientNorms;
    std::vector<double> tolerances;  // relative, per step, for float32
    double gradientNormTolerance = 0;
    std::vector<RecordedWeight> finalWeights;
};

// `name`: "mlp-adam".
Result<RecordedCurve> readCurve(const std::string& name);

// Rows of the recorded batches, by the fixtures' rule (xorshift32).
std::vector<std::size_t> recordedRows(std::size_t count);

// The training of a curve, from the recorded initial weights, compiled for one executor.
class CurveRun {
public:
    static Result<std::unique_ptr<CurveRun>> create(const RecordedCurve& curve, graph::DType dtype, exec::Executor& executor,
                                                    const exec::CompileOptions& options, const data::Split& images);

    // One step on the next recorded batch.
    Result<void> step();
    double output(const std::string& name) const;
    std::vector<double> weight(std::size_t index) const;
    std::size_t weights() const { return m_weightCount; }

private:
    CurveRun(const RecordedCurve& curve, graph::DType dtype, const data::Split& images);
    Result<void> loadWeights();
    std::vector<double> valuesOf(const graph::Node& input) const;

    const RecordedCurve& m_curve;
    graph::DType m_dtype;
    data::Split m_images;
    graph::Graph m_graph;
    std::unique_ptr<exec::Program> m_program;
    std::vector<std::size_t> m_rows;
    std::size_t m_weightCount = 0;
    std::size_t m_steps = 0;
};

}  // namespace lockstep::curves
