// One run from beginning to end. The stages are in flow_stages.h; what they do is in stage_*.cpp.
#include <control/run_flow.h>

#include "control_socket.h"
#include "flow_stages.h"

namespace lockstep::control {
Result<FlowResult> runFlow(const FlowOptions& options) {
    const auto begin = std::chrono::steady_clock::now();
    Inbox inbox;
    StatusBoard board;
    const std::stop_callback onStop(options.stop, [&] { inbox.put(StopOrder{StopMode::Ask, "keyboard", kInterruptedExit}); });
    const std::stop_callback onKill(options.kill, [&] { inbox.put(StopOrder{StopMode::Kill, "keyboard", kInterruptedExit}); });

    LS_TRY_ASSIGN(const auto asked, readSpecification(options));
    LS_TRY_ASSIGN(auto planned, planRun(options, asked));
    ControlSocket socket(asked.folder.socket(), inbox, board);
    auto ready = socket.open();
    if (ready.ok() && options.listener != nullptr) options.listener->onStarted(asked.folder.run(), asked.folder.path());
    auto launched =
        ready.ok() ? launch(options, asked, planned, inbox, std::chrono::steady_clock::now() - begin) : Result<Launched>(ready.error());
    if (!launched.ok()) {
        removeRun(asked, std::move(planned));
        return std::move(launched).error();
    }
    const auto outcome = follow(options, asked, planned, *launched, inbox, board);
    return conclude(asked, planned, outcome);
}

}  // namespace lockstep::control
