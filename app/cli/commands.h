// The makers of all commands; each is defined in the file named after its command.
#pragma once

#include "command.h"

namespace lockstep::cli {

std::unique_ptr<Command> makeInit();
std::unique_ptr<Command> makeValidate();
std::unique_ptr<Command> makePlan();
std::unique_ptr<Command> makeRun();
std::unique_ptr<Command> makeResume();
std::unique_ptr<Command> makeStop();
std::unique_ptr<Command> makeEvaluate();
std::unique_ptr<Command> makePredict();
std::unique_ptr<Command> makeStatus();
std::unique_ptr<Command> makeLs();
std::unique_ptr<Command> makeLogs();
std::unique_ptr<Command> makeMetrics();
std::unique_ptr<Command> makeStudio();
std::unique_ptr<Command> makeRm();
std::unique_ptr<Command> makeDoctor();
std::unique_ptr<Command> makeDevices();
std::unique_ptr<Command> makeTfConfig();
std::unique_ptr<Command> makeBench();
std::unique_ptr<Command> makeAgent();
std::unique_ptr<Command> makeWorker();
std::unique_ptr<Command> makeCompletion();

}  // namespace lockstep::cli
