#include "start_detached.h"

#include "job_line.h"
#include "run_text.h"

namespace lockstep::cli {
namespace {

// The controller's own time-outs of each phase end a start that hangs long before.
constexpr Seconds kLongestStart{600};

}  // namespace

Result<int> reportStart(Context& context, api::StartJob& job) {
    watchJob(context.output, job, kLongestStart);
    job.cancel();
    LS_TRY_ASSIGN(const auto started, job.result());
    context.output.json(
        {{"schema", 1}, {"run", started.run.value}, {"state", api::nameOf(started.state)}, {"folder", started.folder.string()}});
    context.output.line(started.run.value);
    context.output.note("Run " + started.run.value + " is " + std::string(api::nameOf(started.state)) + ". Watch it: lockstep status " +
                        started.run.value);
    return 0;
}

}  // namespace lockstep::cli
