// A recorded curve as options of the training loop.
#pragma once

#include <bench/curve.h>
#include <keras/keras_file.h>
#include <train/rank.h>

#include <set>
#include <string>

namespace lockstep::bench {

struct CurveRun {
    train::RankOptions rank;          // one epoch, no evaluation
    std::set<std::string> constants;  // names of States that Keras has no weight for
};

// From the curve's initial weights over `rows` recorded rows in their order; of pictures there are never more than the curve has.
// Errors: as runParity().
Result<CurveRun> curveRun(const RecordedCurve& curve, const keras::KerasFile& weights, const std::string& weightsName,
                          const std::filesystem::path& mnist, graph::DType dtype, std::size_t rows);

}  // namespace lockstep::bench
