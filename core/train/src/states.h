// States of a step program as values: first ones, snapshots, hashes.
#pragma once

#include "programs.h"

#include <train/checkpoint.h>

namespace lockstep::train {

// Writes the initial weights (given or drawn from the seed); slots start at zero. Error S413 when given ones do not fit.
Result<void> writeInitialStates(StepProgram& step, const RankOptions& options);

// Names, roles and types of all States with room for their bytes, in State order; behind them what is kept beside.
std::vector<StateTensor> stateTensors(const StepProgram& step);
void readStates(const StepProgram& step, std::vector<StateTensor>& tensors);

// Precondition: the tensors of stateTensors().
void storeStates(StepProgram& step, const std::vector<StateTensor>& tensors);

// Error C703 when names or types differ from the program's.
Result<void> writeStates(StepProgram& step, const std::vector<StateTensor>& tensors, const std::string& checkpoint);

// Room for the weights of the best epoch: all States that are no slots.
std::vector<StateTensor> bestOf(const StepProgram& step);
// Takes the present weights as the best; makes the best the present ones. Nothing when there is no room for them.
void readBest(StepProgram& step);
void writeBest(StepProgram& step);

// SHA-256 over the weights in State order, hex.
std::string weightsHashOf(const StepProgram& step);

// Bytes of the largest State.
std::size_t largestState(const StepProgram& step);

}  // namespace lockstep::train
