// The recorded curves of tests/fixtures/keras and what tests need to run them.
#pragma once

#include <bench/parity.h>
#include <support/scratch.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace lockstep::test {

inline std::filesystem::path curveFolder() { return sourceDir() / "tests/fixtures/keras"; }

// "cnn-adam", in alphabetical order.
inline std::vector<std::string> curveNames() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(curveFolder())) {
        const std::string name = entry.path().stem().string();
        if (entry.path().extension() == ".json" && name.find('-') != std::string::npos) names.push_back(name);
    }
    std::ranges::sort(names);
    return names;
}

inline Result<bench::ParityOptions> parityOptions(const std::string& name, graph::DType dtype) {
    bench::ParityOptions options;
    LS_TRY_ASSIGN(options.curve, bench::readCurve(curveFolder() / (name + ".json")));
    options.weightsName = options.curve.initialWeights;
    LS_TRY_ASSIGN(options.weights, keras::readKeras(curveFolder() / options.weightsName));
    options.mnist = sourceDir() / "resources/data/mnist";
    options.dtype = dtype;
    return options;
}

}  // namespace lockstep::test
