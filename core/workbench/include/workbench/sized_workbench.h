// The workbench of who links an executor: its plans say what ranks will hold by the executor's own planning.
#pragma once

#include <plan/plan.h>
#include <workbench/workbench.h>

#include <memory>

namespace lockstep::workbench {

// As makeWorkbench(); that one's plans say what the graph needs.
std::unique_ptr<api::Workbench> makeSizedWorkbench(const WorkbenchOptions& options, plan::Sizer sizer);

}  // namespace lockstep::workbench
