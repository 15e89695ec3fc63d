// What a rank is made of, for the rank itself and for who asks how large it will be.
#pragma once

#include <data/feed.h>
#include <train/rank.h>

namespace lockstep::train {

// Batches of `rows` rows of an epoch: its steps are batches.
data::Schedule scheduleOf(const RankOptions& options, std::int64_t rows);

// Rows of one pass of the step's program: those of a share, or of a slice when slices run apart.
std::int64_t rowsOfProgram(const RankOptions& options);

// `targetWidth`: numbers for a row that the program takes as targets; 0 = it takes labels.
data::FeedOptions feedOptions(const RankOptions& options, const data::Split& train, const data::Schedule& schedule, std::uint64_t firstStep,
                              std::int64_t targetWidth);

}  // namespace lockstep::train
