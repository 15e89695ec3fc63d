// Settings of one layer, with Keras' defaults for those that were not given. Precondition: checked by completed().
#pragma once

#include <nn/layer_table.h>

#include <array>

namespace lockstep::nn {

// A fallback of the table as a value: null, true, 3, 0.5, [1, 1] or a word.
Setting parseFallback(std::string_view text);

class LayerSettings {
public:
    LayerSettings(const LayerInfo& layer, const Settings& given) : m_layer(layer), m_given(given) {}

    bool has(std::string_view name) const;  // not null
    bool flag(std::string_view name) const;
    std::int64_t integer(std::string_view name) const;
    double number(std::string_view name) const;
    std::string word(std::string_view name) const;
    std::vector<std::int64_t> integers(std::string_view name) const;
    std::vector<std::int64_t> pair(std::string_view name) const;
    std::array<std::int64_t, 4> margins(std::string_view name) const;  // top, bottom, left, right
    Named named(std::string_view name) const;

private:
    Setting value(std::string_view name) const;

    const LayerInfo& m_layer;
    const Settings& m_given;
};

}  // namespace lockstep::nn
