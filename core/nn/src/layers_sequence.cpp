// Layers on sequences: embeddings and dropout.
#include "layer_row.h"

namespace lockstep::nn {

using graph::OpKind;
using graph::Value;

namespace {

Result<Value> buildEmbedding(Layer& layer) {
    const LayerSettings& settings = layer.settings();
    const Value ids = layer.input();
    if (layer.type(ids).dtype != graph::DType::I32) return layer.wrongInput(ids, "whole numbers (i32)");
    if (settings.flag("mask_zero")) return layer.notBuilt("mask_zero: true", "Leave it out.");
    LS_TRY_ASSIGN(const Value table,
                  layer.weight("embeddings", {settings.integer("input_dim"), settings.integer("output_dim")}, "embeddings"));
    return layer.append(OpKind::Gather, "", {table, ids});
}

// Adds a vector of its own to each place: keras_hub's PositionEmbedding, summed with its input.
Result<Value> buildPositionEmbedding(Layer& layer) {
    const Value x = layer.input();
    LS_TRY(layer.needRank(x, 3, "[rows, places, features]"));
    const std::vector<std::int64_t> dims = layer.shape(x).dims();
    LS_TRY_ASSIGN(const Value positions, layer.weight("embeddings", {dims[1], dims[2]}, "embeddings"));
    LS_TRY_ASSIGN(const Value vector, layer.reshape("vector", positions, {dims[1] * dims[2]}));
    LS_TRY_ASSIGN(const Value flat, layer.reshape("flat", x, {dims[0], dims[1] * dims[2]}));
    LS_TRY_ASSIGN(const Value sum, layer.append(OpKind::BiasAdd, "add", {flat, vector}));
    return layer.reshape("", sum, dims);
}

Result<Value> buildDropout(Layer& layer) {
    LS_TRY(layer.needNumbers(layer.input()));
    return layer.dropout("", layer.input(), layer.settings().number("rate"));
}

constexpr SettingRow kEmbeddingsRegularizer{"embeddings_regularizer", SettingKind::Regularizer, "null"};
constexpr SettingRow kEmbedding[] = {{"input_dim", SettingKind::Integer, "", 1},
                                     {"output_dim", SettingKind::Integer, "", 1},
                                     {"embeddings_initializer", SettingKind::Initializer, "uniform"},
                                     kEmbeddingsRegularizer,
                                     {"mask_zero", SettingKind::Flag, "false"}};
constexpr SettingRow kPositions[] = {{"embeddings_initializer", SettingKind::Initializer, "glorot_uniform"}, kEmbeddingsRegularizer};
constexpr SettingRow kDropout[] = {{"rate", SettingKind::Number, "", 0, 1}, {"seed", SettingKind::Integer, "null", 0, 2147483645}};

constexpr LayerRow kRows[] = {
    {{"dropout", "Dropout", 1, 1, kDropout}, buildDropout},
    {{"embedding", "Embedding", 1, 1, kEmbedding}, buildEmbedding},
    {{"position_embedding", "PositionEmbedding", 1, 1, kPositions}, buildPositionEmbedding},
};

}  // namespace

Result<Value> Layer::dropout(std::string_view part, Value value, double rate) {
    // Counted in inference too, so that seeds don't depend on the phase.
    const std::int64_t drawn = m_model.nextDropoutSeed();
    if (!m_model.training() || rate == 0) return value;
    LS_TRY_ASSIGN(const Value step, m_model.scalar("step"));
    LS_TRY_ASSIGN(const Value firstRow, m_model.scalar("first_row"));
    const std::int64_t seed = m_settings.has("seed") ? m_settings.integer("seed") : drawn;
    return append(OpKind::Dropout, part, {value, step, firstRow}, {{"rate", rate}, {"seed", seed}});
}

std::span<const LayerRow> sequenceLayers() { return kRows; }

}  // namespace lockstep::nn
