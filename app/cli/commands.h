// The makers of all commands; each is defined in the file named after its command.
#pragma once

#include "command.h"

namespace lockstep::cli {

std::unique_ptr<Command> makeAgent();
std::unique_ptr<Command> makeWorker();
std::unique_ptr<Command> makeCompletion();

}  // namespace lockstep::cli
