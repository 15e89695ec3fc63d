// What both curve tests share: the pictures and the rows of names.
#pragma once

#include "curve.h"

#include <support/scratch.h>
#include <support/test.h>

#include <array>
#include <cmath>

namespace lockstep::curves {

inline constexpr std::array kCurves = {"mlp-sgd", "mlp-momentum", "mlp-nesterov", "mlp-adam",
                                       "cnn-sgd", "cnn-momentum", "cnn-nesterov", "cnn-adam"};

inline Result<data::Dataset> loadMnist(const test::Scratch& scratch) {
    data::LoadOptions options;
    options.folder = test::sourceDir() / "resources/data/mnist";
    options.cacheFolder = scratch.path();
    return data::loadDataset(options);
}

inline double relative(double value, double reference) { return std::abs(value - reference) / std::abs(reference); }

}  // namespace lockstep::curves
