#include "curve.h"

#include "npy.h"

#include <base/file.h>
#include <passes/pipeline.h>
#include <support/scratch.h>

#include <nlohmann/json.hpp>

#include <cstring>

namespace lockstep::curves {

using graph::DType;

namespace {

std::filesystem::path fixtures() { return test::sourceDir() / "tests/fixtures/keras"; }

template <class T>
std::vector<std::byte> packed(const std::vector<double>& values) {
    std::vector<std::byte> bytes(values.size() * sizeof(T));
    for (std::size_t i = 0; i < values.size(); ++i) {
        const T value = static_cast<T>(values[i]);
        std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
    }
    return bytes;
}

std::vector<std::byte> packed(const std::vector<double>& values, DType dtype) {
    if (dtype == DType::I32) return packed<std::int32_t>(values);
    return dtype == DType::F32 ? packed<float>(values) : packed<double>(values);
}

std::vector<double> unpacked(std::span<const std::byte> bytes, DType dtype) {
    std::vector<double> values(bytes.size() / graph::sizeOf(dtype));
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (dtype == DType::F64) {
            std::memcpy(&values[i], bytes.data() + i * sizeof(double), sizeof(double));
        } else {
            float value = 0;
            std::memcpy(&value, bytes.data() + i * sizeof(float), sizeof(float));
            values[i] = static_cast<double>(value);
        }
    }
    return values;
}

nn::OptimizerOptions optimizerOf(const nlohmann::json& recorded) {
    nn::OptimizerOptions options;
    const auto& arguments = recorded.at("args");
    options.name = recorded.at("class") == "SGD" ? "sgd" : "adam";
    options.learningRate = arguments.at("learning_rate");
    options.momentum = arguments.value("momentum", 0.0);
    options.nesterov = arguments.value("nesterov", false);
    return options;
}

}  // namespace

Result<RecordedCurve> readCurve(const std::string& name) {
    LS_TRY_ASSIGN(const std::string text, readFile(fixtures() / (name + ".json")));
    const auto json = nlohmann::json::parse(text);
    RecordedCurve curve;
    curve.model = json.at("model");
    curve.optimizer = optimizerOf(json.at("optimizer"));
    curve.batch = json.at("data").at("batch");
    curve.losses = json.at("loss_per_step_f64").get<std::vector<double>>();
    curve.gradientNorms = json.at("grad_global_norm_f64").get<std::vector<double>>();
    curve.tolerances = json.at("tolerance").at("loss_rel_per_step").get<std::vector<double>>();
    curve.gradientNormTolerance = json.at("tolerance").at("grad_norm_rel");
    for (const auto& weight : json.at("final_weights"))
        curve.finalWeights.push_back({weight.at("shape").get<std::vector<std::int64_t>>(), weight.at("at").get<std::vector<std::size_t>>(),
                                      weight.at("values_f64").get<std::vector<double>>()});
    return curve;
}

std::vector<std::size_t> recordedRows(std::size_t count) {
    std::uint32_t state = 2463534242U;
    std::vector<std::size_t> rows;
    while (rows.size() < count) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        rows.push_back(state % 60000U);
    }
    return rows;
}

CurveRun::CurveRun(const RecordedCurve& curve, DType dtype, const data::Split& images)
    : m_curve(curve), m_dtype(dtype), m_images(images), m_rows(recordedRows(curve.losses.size() * static_cast<std::size_t>(curve.batch))) {}

Result<std::unique_ptr<CurveRun>> CurveRun::create(const RecordedCurve& curve, DType dtype, exec::Executor& executor,
                                                   const exec::CompileOptions& options, const data::Split& images) {
    std::unique_ptr<CurveRun> run(new CurveRun(curve, dtype, images));
    nn::ModelOptions model;
    model.preset = curve.model;
    LS_TRY_ASSIGN(const nn::Model built, nn::buildModel(model, curve.batch, dtype));
    passes::TrainStepOptions step;
    step.optimizer = curve.optimizer;
    step.allReduce = options.collectives != nullptr;
    LS_TRY_ASSIGN(passes::TrainStep made, passes::makeTrainStep(built, step));
    run->m_graph = std::move(made.graph);
    run->m_weightCount = built.weights.size();
    LS_TRY_ASSIGN(run->m_program, executor.compile(run->m_graph, options));
    LS_TRY(run->loadWeights());
    return run;
}

// "dense_1/bias" is kept as dense_1.1.npy: 0 is the kernel. Slots start at zero.
Result<void> CurveRun::loadWeights() {
    std::size_t index = 0;
    for (const auto id : m_graph.nodesOf(graph::OpKind::State)) {
        const auto& state = m_graph.node(id);
        const std::size_t slash = state.name.find('/');
        const std::string file = state.name.substr(0, slash) + (state.name.substr(slash) == "/kernel" ? ".0.npy" : ".1.npy");
        if (graph::textAttribute(state.attributes, "role") == "weight") {
            LS_TRY_ASSIGN(const NpyTensor tensor, readNpy(fixtures() / "npy" / m_curve.model / file));
            if (tensor.shape != state.outputs[0].shape.dims()) return makeError("X001", {{"what", file + " has another shape"}});
            m_program->writeState(index, packed({tensor.values.begin(), tensor.values.end()}, m_dtype));
        }
        ++index;
    }
    return {};
}

std::vector<double> CurveRun::valuesOf(const graph::Node& input) const {
    const auto rows = static_cast<std::size_t>(m_curve.batch);
    const auto picked = std::span(m_rows).subspan(m_steps * rows, rows);
    if (input.name == "learning_rate") return {m_curve.optimizer.learningRate};
    if (input.name == "step") return {static_cast<double>(m_steps + 1)};
    if (input.name == "weights") return std::vector<double>(rows, 1.0 / static_cast<double>(rows));
    std::vector<double> values;
    for (const std::size_t row : picked) {
        if (input.name == "labels") {
            values.push_back(m_images.labels[row]);
            continue;
        }
        const std::size_t pixels = m_images.features.size() / static_cast<std::size_t>(m_images.rows);
        // Divided in float32 also for the float64 curves, as the recording did.
        for (const std::byte pixel : m_images.features.subspan(row * pixels, pixels))
            values.push_back(static_cast<double>(static_cast<float>(std::to_integer<int>(pixel)) / 255.0F));
    }
    return values;
}

Result<void> CurveRun::step() {
    std::vector<std::vector<std::byte>> bytes;
    for (const auto id : m_graph.nodesOf(graph::OpKind::Input)) {
        const auto& input = m_graph.node(id);
        bytes.push_back(packed(valuesOf(input), input.outputs[0].dtype));
    }
    std::vector<const std::byte*> feeds;
    for (const auto& feed : bytes) feeds.push_back(feed.data());
    LS_TRY(m_program->run({feeds}));
    ++m_steps;
    return {};
}

double CurveRun::output(const std::string& name) const { return unpacked(m_program->output(name), m_dtype)[0]; }

std::vector<double> CurveRun::weight(std::size_t index) const {
    const auto states = m_graph.nodesOf(graph::OpKind::State);
    std::vector<std::byte> bytes(m_graph.node(states[index]).outputs[0].bytes());
    m_program->readState(index, bytes);
    return unpacked(bytes, m_dtype);
}

}  // namespace lockstep::curves
