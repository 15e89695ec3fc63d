// What a run in this process tells while it goes on.
#pragma once

#include "flow_session.h"
#include "output.h"

#include <control/run_flow.h>
#include <workbench/controller_report.h>

#include <string>

namespace lockstep::cli {

class FlowListener : public control::FlowListener {
public:
    FlowListener(Output& output, ControllerFace face, workbench::ControllerReport report, bool profile = false);

    void onStarted(const RunId& run, const std::filesystem::path& folder) override;
    void onState(store::RunState state, const std::string& cause) override;
    void onPhase(const std::string& phase, Seconds took) override;
    void onProgress(const control::FlowProgress& progress) override;
    void onEvent(const store::Event& event) override;
    void onWarning(const Error& warning) override;

    // Takes the live line away; closes the report.
    void finish();
    // To the client that started us, while it listens.
    void report(const Error& error);

private:
    // {"schema":1,"t":…,"run":…,"ev":kind} and what `rest` adds.
    void tell(const char* kind, const Json& rest);

    Output& m_output;
    const ControllerFace m_face;
    workbench::ControllerReport m_report;
    const bool m_profile;  // makes the folder that tells the ranks
    std::string m_run;
    std::uint64_t m_toldStep = 0;
};

}  // namespace lockstep::cli
