// A trained model at work: forward passes in the phase of inference (moving statistics, no dropout) with the weights of a checkpoint.
// One object is used by one thread at a time; the executor outlives it.
#pragma once

#include <base/result.h>
#include <data/augment.h>
#include <data/dataset.h>
#include <exec/executor.h>
#include <nn/model.h>
#include <train/checkpoint.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::train {

struct InferenceOptions {
    nn::ModelOptions model;
    graph::DType dtype = graph::DType::F32;
    data::Normalisation normalise;  // of the rows, as in training
    std::int64_t rowsAtOnce = 256;  // at most; bounds the memory of activations
    exec::CompileOptions compile;
};

// What the numbers of a result mean, by the loss the model was trained with.
enum class ResultKind : std::uint8_t {
    Classes,      // cross-entropy over classes: one probability for each
    YesOrNo,      // binary cross-entropy: each number is a probability of its own
    Measurement,  // regressions: the numbers themselves
};

struct ResultForm {
    ResultKind kind = ResultKind::Measurement;
    // The model gives logits: "softmax" or "sigmoid" makes probabilities of them. Empty: the numbers are what they are.
    std::string activation;
    bool operator==(const ResultForm&) const = default;
};

// Probabilities of one row of results, in place; nothing without an activation.
void applyActivation(const ResultForm& form, std::span<float> row);

struct Evaluated {
    std::int64_t rows = 0;
    double loss = 0;                                      // with regularizers, as Keras' evaluate gives it
    std::vector<std::pair<std::string, double>> metrics;  // in the order of ModelOptions::metrics
};

class Inference {
public:
    // A model for batches of as many of `rows` rows as the options allow; the first one decides what memory is taken. Errors: S4xx (model),
    // C703 (`checkpoint`, called `name`, has other weights), M901 (does not fit into options.compile.allow).
    static Result<Inference> create(const InferenceOptions& options, std::int64_t rows, const Checkpoint& checkpoint,
                                    const std::string& name, exec::Executor& executor);
    Inference(Inference&&) noexcept;
    Inference& operator=(Inference&&) noexcept;
    ~Inference();

    using Progress = std::function<void(std::int64_t done, std::int64_t rows)>;

    // Means over all rows, which have labels or targets. The same as a run records after an epoch with these weights. Errors: F629 (the
    // rows have not what the loss needs), S414 (rows of another shape).
    Result<Evaluated> evaluate(const data::Split& rows, const Progress& progress = {});

    // What the model gives for each row, in order; labels are not looked at. `take` gets up to rowsAtOnce rows of resultWidth() numbers
    // each, valid during the call; its error ends it. Error S414.
    using Take = std::function<Result<void>(std::int64_t first, std::int64_t rows, std::span<const float> values)>;
    Result<void> predict(const data::Split& rows, const Take& take);

    ResultForm form() const;
    std::vector<std::int64_t> resultShape() const;  // of one row
    std::int64_t resultWidth() const;               // numbers of one row
    std::int64_t rowsAtOnce() const;

private:
    struct Parts;
    explicit Inference(std::unique_ptr<Parts> parts);
    std::unique_ptr<Parts> m;
};

}  // namespace lockstep::train
