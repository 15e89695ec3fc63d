// What the process of a rank will hold when it is fullest, said before anything of it is there: by the same planning that runRank() does.
// Values; threads: any one at a time.
#pragma once

#include <base/result.h>
#include <data/dataset.h>
#include <exec/executor.h>
#include <train/rank.h>

#include <cstdint>

namespace lockstep::train {

// Bytes that come on top of what the process holds before it trains. Parts that are there at the same time.
struct RankMemory {
    std::uint64_t weights = 0, gradients = 0, optimizerSlots = 0, activations = 0, workspace = 0;  // exec::MemoryReport
    std::uint64_t input = 0;       // prepared batches, order of an epoch, buffers of the evaluation
    std::uint64_t data = 0;        // rows of the data set; mapped ones are pages of a file that ranks share and the system may take back
    std::uint64_t checkpoint = 0;  // copies of the state: rank 0's that is written while training goes on, and the tensor being hashed
    std::uint64_t library = 0;     // code in use, kernels made for the shapes of this model, descriptions of steps (measured once)
    std::uint64_t total() const {
        return weights + gradients + optimizerSlots + activations + workspace + input + data + checkpoint + library;
    }
    bool operator==(const RankMemory&) const = default;
};

// Of options.rank among `ranks`. options.data says nothing here but for what the facts leave open; options.checkpoint.folder counts.
// Errors: S4xx (model, passes), S310.
Result<RankMemory> memoryOf(const RankOptions& options, const data::DatasetFacts& facts, int ranks, exec::Executor& executor);

// Facts of rows that are there already.
data::DatasetFacts factsOf(const data::Dataset& dataset);

}  // namespace lockstep::train
