// The door to everything a client does with one project. Command line and window see runs only through this.
//
// Rules for all interfaces of this folder: parameters and results are values that could cross a process border, or other interfaces;
// no overloads; no references into internals; a registration returns an owned Subscription, long work an owned Job.
#pragma once

#include <api/checks.h>
#include <api/logs.h>
#include <api/projects.h>
#include <api/run_commands.h>
#include <api/runs.h>

namespace lockstep::api {

class Workbench {
public:
    virtual ~Workbench() = default;

    virtual ProjectInfo project() const = 0;
    // The parts live as long as the workbench.
    virtual Runs& runs() = 0;
    virtual RunCommands& commands() = 0;
    virtual Logs& logs() = 0;
    virtual Checks& checks() = 0;
};

}  // namespace lockstep::api
