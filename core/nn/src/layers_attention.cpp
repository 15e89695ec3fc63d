#include "layer_row.h"

#include <cmath>

#include <fmt/format.h>

namespace lockstep::nn {

using graph::OpKind;
using graph::Shape;
using graph::Value;

namespace {

constexpr std::string_view kSequences = "[rows, places, features]";

// softmax(query · keyᵀ / √key_dim) · value for each head, as Keras' MultiHeadAttention.
class Attention {
public:
    explicit Attention(Layer& layer)
        : m_layer(layer), m_heads(layer.settings().integer("num_heads")), m_keySize(layer.settings().integer("key_dim")) {
        const LayerSettings& settings = layer.settings();
        m_valueSize = settings.has("value_dim") ? settings.integer("value_dim") : m_keySize;
    }

    Result<Value> build() {
        const auto& inputs = m_layer.inputs();
        const Value query = inputs[0], value = inputs.size() > 1 ? inputs[1] : query, key = inputs.size() > 2 ? inputs[2] : value;
        for (const Value input : {query, value, key}) LS_TRY(m_layer.needRank(input, 3, kSequences));
        if (m_layer.shape(value)[1] != m_layer.shape(key)[1]) {
            return m_layer.wrong(fmt::format("axis 1 (places) of its value {} is {}, of its key {} {}", m_layer.type(value).toText(),
                                             m_layer.shape(value)[1], m_layer.type(key).toText(), m_layer.shape(key)[1]));
        }
        LS_TRY_ASSIGN(Value q, project("query", query, m_keySize));
        LS_TRY_ASSIGN(const Value k, project("key", key, m_keySize));
        LS_TRY_ASSIGN(const Value v, project("value", value, m_valueSize));
        // Keras scales by a float32, in float64 too.
        const auto factor = static_cast<float>(1 / std::sqrt(static_cast<double>(m_keySize)));
        LS_TRY_ASSIGN(q, m_layer.append(OpKind::Scale, "scale", {q}, {{"factor", static_cast<double>(factor)}}));
        LS_TRY_ASSIGN(Value scores, m_layer.append(OpKind::BatchMatMul, "scores", {q, k}, {{"transpose_b", std::int64_t{1}}}));
        LS_TRY_ASSIGN(scores, m_layer.append(OpKind::Softmax, "softmax", {scores}));
        LS_TRY_ASSIGN(scores, m_layer.dropout("dropout", scores, m_layer.settings().number("dropout")));
        LS_TRY_ASSIGN(const Value mixed, m_layer.append(OpKind::BatchMatMul, "mix", {scores, v}));
        return projectBack(query, mixed);
    }

private:
    Result<Value> transpose(const std::string& part, Value value) {
        return m_layer.append(OpKind::Transpose, part, {value}, {{"permutation", std::vector<std::int64_t>{0, 2, 1, 3}}});
    }

    // x·w + b with w [d, …] and b […] seen as matrices: Keras' EinsumDense.
    Result<Value> product(const std::string& part, Value flat, Shape kernelShape, Shape biasShape, std::int64_t in, std::int64_t out) {
        LS_TRY_ASSIGN(const Value kernel, m_layer.weight(part + "/kernel", std::move(kernelShape)));
        LS_TRY_ASSIGN(const Value matrix, m_layer.reshape(part + "/matrix", kernel, {in, out}));
        LS_TRY_ASSIGN(const Value y, m_layer.append(OpKind::MatMul, part + "/matmul", {flat, matrix}));
        if (!m_layer.settings().flag("use_bias")) return y;
        LS_TRY_ASSIGN(const Value bias, m_layer.weight(part + "/bias", std::move(biasShape)));
        LS_TRY_ASSIGN(const Value vector, m_layer.reshape(part + "/vector", bias, {out}));
        return m_layer.append(OpKind::BiasAdd, part + "/bias_add", {y, vector});
    }

    // [rows, places, d] → [rows, heads, places, size]
    Result<Value> project(const std::string& part, Value x, std::int64_t size) {
        const std::vector<std::int64_t> dims = m_layer.shape(x).dims();
        LS_TRY_ASSIGN(const Value flat, m_layer.reshape(part + "/flat", x, {dims[0] * dims[1], dims[2]}));
        LS_TRY_ASSIGN(const Value y, product(part, flat, {dims[2], m_heads, size}, {m_heads, size}, dims[2], m_heads * size));
        LS_TRY_ASSIGN(const Value split, m_layer.reshape(part + "/heads", y, {dims[0], dims[1], m_heads, size}));
        return transpose(part + "/by_head", split);
    }

    // [rows, heads, places, size] → [rows, places, features of the result]
    Result<Value> projectBack(Value query, Value mixed) {
        const std::int64_t rows = m_layer.shape(query)[0], places = m_layer.shape(query)[1], in = m_heads * m_valueSize;
        const std::int64_t out =
            m_layer.settings().has("output_shape") ? m_layer.settings().integer("output_shape") : m_layer.shape(query)[2];
        LS_TRY_ASSIGN(const Value joined, transpose("by_place", mixed));
        LS_TRY_ASSIGN(const Value flat, m_layer.reshape("joined", joined, {rows * places, in}));
        LS_TRY_ASSIGN(const Value y, product("attention_output", flat, {m_heads, m_valueSize, out}, {out}, in, out));
        return m_layer.reshape("", y, {rows, places, out});
    }

    Layer& m_layer;
    std::int64_t m_heads;
    std::int64_t m_keySize;
    std::int64_t m_valueSize = 0;
};

Result<Value> buildMultiHeadAttention(Layer& layer) { return Attention(layer).build(); }

constexpr SettingRow kAttention[] = {{"num_heads", SettingKind::Integer, "", 1},
                                     {"key_dim", SettingKind::Integer, "", 1},
                                     {"value_dim", SettingKind::Integer, "null", 1},
                                     {"dropout", SettingKind::Number, "0", 0, 1},
                                     kUseBias,
                                     {"output_shape", SettingKind::Integer, "null", 1},
                                     {"seed", SettingKind::Integer, "null", 0, 2147483645},
                                     kKernelInitializer,
                                     kBiasInitializer,
                                     kKernelRegularizer,
                                     kBiasRegularizer};

// Inputs as Keras names them: query, value, key; one alone attends to itself.
constexpr LayerRow kRows[] = {{{"multi_head_attention", "MultiHeadAttention", 1, 3, kAttention}, buildMultiHeadAttention}};

}  // namespace

std::span<const LayerRow> attentionLayers() { return kRows; }

}  // namespace lockstep::nn
