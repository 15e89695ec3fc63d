// Which classes of layers are read, and under which names Keras keeps their variables.
#include <keras/architecture.h>

#include <algorithm>
#include <array>
#include <map>

namespace lockstep::keras {
namespace {

constexpr std::array<std::string_view, 28> kKnownLayers{"Activation",
                                                        "Add",
                                                        "Average",
                                                        "AveragePooling2D",
                                                        "BatchNormalization",
                                                        "Concatenate",
                                                        "Conv2D",
                                                        "Dense",
                                                        "DepthwiseConv2D",
                                                        "Dropout",
                                                        "ELU",
                                                        "Embedding",
                                                        "Flatten",
                                                        "GlobalAveragePooling1D",
                                                        "GlobalAveragePooling2D",
                                                        "GlobalMaxPooling2D",
                                                        "InputLayer",
                                                        "LayerNormalization",
                                                        "LeakyReLU",
                                                        "MaxPooling2D",
                                                        "MultiHeadAttention",
                                                        "Multiply",
                                                        "ReLU",
                                                        "Rescaling",
                                                        "Reshape",
                                                        "SeparableConv2D",
                                                        "Softmax",
                                                        "ZeroPadding2D"};

bool isLower(char c) { return c >= 'a' && c <= 'z'; }
bool isUpper(char c) { return c >= 'A' && c <= 'Z'; }

// Keras' rule: "_" before a capital that a small letter follows (but not at the start), and between a small letter and a capital.
std::string snakeCase(std::string_view name) {
    std::string out;
    for (std::size_t i = 0; i < name.size(); ++i) {
        const bool startsWord = i > 0 && isUpper(name[i]) && i + 1 < name.size() && isLower(name[i + 1]);
        const bool endsWord = i > 0 && isLower(name[i - 1]) && isUpper(name[i]);
        if (startsWord || endsWord) out += '_';
        out += isUpper(name[i]) ? static_cast<char>(name[i] - 'A' + 'a') : name[i];
    }
    return out;
}

}  // namespace

bool isKnownLayer(std::string_view className) { return std::ranges::find(kKnownLayers, className) != kKnownLayers.end(); }

std::vector<std::string> weightGroups(const Architecture& architecture) {
    std::map<std::string, int> used;
    std::vector<std::string> groups;
    for (const LayerConfig& layer : architecture.layers) {
        if (architecture.kind == ModelKind::Sequential && layer.className == "InputLayer") {
            groups.emplace_back();
            continue;
        }
        const std::string name = snakeCase(layer.className);
        const int number = used[name]++;
        groups.push_back(number == 0 ? name : name + "_" + std::to_string(number));
    }
    return groups;
}

}  // namespace lockstep::keras
