// A recorded curve as options of the training loop.
#pragma once

#include <bench/curve.h>
#include <keras/keras_file.h>
#include <train/rank.h>

#include <string>

namespace lockstep::bench {

// One epoch without evaluation, from the curve's initial weights over `rows` recorded rows in their order; of pictures there are never more
// than the curve has. Errors: as runParity().
Result<train::RankOptions> curveRun(const RecordedCurve& curve, const keras::KerasFile& weights, const std::string& weightsName,
                                    const std::filesystem::path& mnist, graph::DType dtype, std::size_t rows);

}  // namespace lockstep::bench
