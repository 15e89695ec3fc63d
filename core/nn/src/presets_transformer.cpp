// A small transformer that classifies sequences: one block of attention and one of dense layers, each with a shortcut and a layer
// normalisation, then the mean over all places.
#include "preset_layers.h"

namespace lockstep::nn {
namespace {

constexpr std::int64_t kWidth = 32, kHeads = 2, kHidden = 32, kVocabulary = 20000;
constexpr double kRate = 0.1;

std::string dropout(LayerList& list, double rate) { return list.add({"dropout", {}, {{"rate", rate}}, {}}); }

std::string normalisedSum(LayerList& list, const std::string& a, const std::string& b) {
    list.plain("add", {a, b});
    return list.add({"layer_normalization", {}, {{"epsilon", 1e-6}}, {}});
}

// Tokens become vectors; of a picture every row of it is one place.
void addPlaces(LayerList& list, Architecture& model) {
    const auto& shape = model.inputShape;
    if (shape.size() == 1) {
        model.input = InputKind::Tokens;
        list.add({"embedding", {}, {{"input_dim", kVocabulary}, {"output_dim", kWidth}}, {}});
        return;
    }
    if (shape.size() > 2) list.add({"reshape", {}, {{"target_shape", std::vector<std::int64_t>{shape[0], -1}}}, {}});
    list.dense(kWidth);
}

}  // namespace

void addTransformerClassifier(Architecture& model, std::int64_t classes) {
    LayerList list(model);
    addPlaces(list, model);
    const std::string x = list.plain("position_embedding");
    list.add({"multi_head_attention", {}, {{"num_heads", kHeads}, {"key_dim", kWidth}}, {x, x}});
    const std::string attended = normalisedSum(list, x, dropout(list, kRate));
    list.dense(kHidden, "relu");
    list.dense(kWidth);
    normalisedSum(list, attended, dropout(list, kRate));
    list.plain("global_average_pooling1d");
    dropout(list, kRate);
    list.dense(20, "relu");
    dropout(list, kRate);
    list.dense(classes);
}

}  // namespace lockstep::nn
