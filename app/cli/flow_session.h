// A run whose controller is this process: draws it, turns signals into stop and kill, prints the result.
#pragma once

#include "command.h"

#include <control/run_flow.h>
#include <workbench/controller_report.h>

#include <optional>

namespace lockstep::cli {

// Who started the controller and how it speaks to them.
enum class ControllerFace {
    Foreground,  // progress on stderr, result on stdout
    Detached,    // reports to the client that started it, then only its log
};

// Options of the hidden kind that a client gives to a controller it starts.
struct DetachedOptions {
    int reportFd = -1;
    int specFd = -1;
    void declare(CLI::App& parser);
    ControllerFace face() const { return reportFd >= 0 ? ControllerFace::Detached : ControllerFace::Foreground; }
};

// Runs to the end. The exit code of the run, or the error that kept it from coming to be. `profile`: ranks time their ops (profile.h).
Result<int> runInThisProcess(Context& context, control::FlowOptions flow, const DetachedOptions& detached, bool profile = false);

}  // namespace lockstep::cli
