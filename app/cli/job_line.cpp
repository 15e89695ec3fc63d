#include "job_line.h"

namespace lockstep::cli {
namespace {

constexpr Seconds kDrawEvery{0.1};
// Short work leaves no trace on the screen.
constexpr Seconds kDrawAfter{0.5};

}  // namespace

bool watchJob(Output& output, api::Job& job, Seconds atMost) {
    const auto deadline = Deadline::in(atMost);
    const auto quiet = Deadline::in(kDrawAfter);
    while (!job.wait(kDrawEvery)) {
        if (deadline.passed()) {
            output.progress().clear();
            return false;
        }
        if (!quiet.passed()) continue;
        const auto now = job.progress();
        output.progress().update({now.stage, now.done, now.total, "", ""});
    }
    output.progress().clear();
    return true;
}

}  // namespace lockstep::cli
