#include "flow_listener.h"

#include "profile.h"
#include "run_text.h"

#include <base/file.h>
#include <base/log.h>
#include <base/units.h>

#include <fcntl.h>
#include <unistd.h>
#include <cstdio>

namespace lockstep::cli {
namespace {

std::string stageText(store::RunState state) {
    switch (state) {
        case store::RunState::Checking: return "checking";
        case store::RunState::Queued: return "queued";
        case store::RunState::Staging: return "preparing files";
        case store::RunState::Spawning: return "starting ranks";
        case store::RunState::Rendezvous: return "waiting for the ranks to meet";
        case store::RunState::WarmingUp: return "compiling, first step";
        case store::RunState::Checkpointing: return "writing a checkpoint";
        case store::RunState::Draft:
        case store::RunState::Blocked:
        case store::RunState::Running:
        case store::RunState::Paused:
        case store::RunState::Completed:
        case store::RunState::Stopped:
        case store::RunState::Failed:
        case store::RunState::Lost: break;
    }
    return std::string(store::nameOf(state));
}

std::string metricsText(const control::FlowProgress& progress) {
    std::string text;
    if (progress.epoch > 0) text += "epoch " + std::to_string(progress.epoch) + "/" + std::to_string(progress.epochs);
    if (progress.loss) text += "  loss " + numberText(progress.loss);
    if (progress.accuracy) text += "  accuracy " + numberText(progress.accuracy);
    if (progress.samplesPerSecond) {
        char rate[32];
        std::snprintf(rate, sizeof rate, "  %.0f samples/s", *progress.samplesPerSecond);
        text += rate;
    }
    return text;
}

// From here on stdout and stderr of a detached controller are its log file in the run's folder.
void logInto(const std::filesystem::path& folder) {
    const auto path = folder / "logs" / "controller.log";
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (fd < 0) return;  // the run goes on without
    ::dup2(fd, STDOUT_FILENO);
    ::dup2(fd, STDERR_FILENO);
    ::close(fd);
}

}  // namespace

FlowListener::FlowListener(Output& output, ControllerFace face, workbench::ControllerReport report, bool profile)
    : m_output(output), m_face(face), m_report(std::move(report)), m_profile(profile) {}

void FlowListener::tell(const char* kind, const Json& rest) {
    Json object{{"schema", 1}, {"t", toIsoTime(unixSeconds())}, {"run", m_run}, {"ev", kind}};
    object.update(rest);
    m_output.event(object);
}

void FlowListener::onStarted(const RunId& run, const std::filesystem::path& folder) {
    m_run = run.value;
    if (m_face == ControllerFace::Detached) logInto(folder);
    m_report.started(run, folder);
    tell("started", {{"folder", folder.string()}});
    m_output.note("Run " + run.value);
    if (!m_profile) return;
    if (const auto made = makeFolders(profileFolder(folder)); !made.ok()) m_output.warning(made.error());
}

void FlowListener::onState(store::RunState state, const std::string& cause) {
    m_report.state(store::nameOf(state), cause);
    tell("state", {{"state", store::nameOf(state)}, {"cause", cause}});
    if (m_face == ControllerFace::Detached) {
        log(LogLevel::Info, "state " + std::string(store::nameOf(state)) + (cause.empty() ? "" : ": " + cause));
        return;
    }
    if (store::isFinal(state) || state == store::RunState::Running) return;
    m_output.progress().update({stageText(state), 0, 0, "", ""});
}

void FlowListener::onPhase(const std::string& phase, Seconds took) {
    tell("phase", {{"phase", phase}, {"seconds", took.count()}});
    m_output.detail(phase + ": " + formatDuration(took));
}

void FlowListener::onProgress(const control::FlowProgress& progress) {
    if (progress.step == 0) return;
    if (m_face == ControllerFace::Foreground)
        m_output.progress().update({"step", progress.step, progress.steps, metricsText(progress), ""});
    if (progress.step == m_toldStep) return;
    m_toldStep = progress.step;
    tell("progress", {{"step", progress.step},
                      {"steps", progress.steps},
                      {"epoch", progress.epoch},
                      {"epochs", progress.epochs},
                      {"loss", jsonNumber(progress.loss)},
                      {"accuracy", jsonNumber(progress.accuracy)},
                      {"samples_per_second", jsonNumber(progress.samplesPerSecond)},
                      {"seconds", progress.seconds}});
}

void FlowListener::onEvent(const store::Event& event) {
    tell("event",
         {{"kind", event.kind}, {"rank", event.rank < 0 ? Json(nullptr) : Json(event.rank)}, {"step", event.step}, {"text", event.text}});
    m_output.detail(event.text);
}

void FlowListener::onWarning(const Error& warning) {
    tell("warning", {{"warning", errorObject(warning)}});
    m_output.warning(warning);
}

void FlowListener::finish() { m_output.progress().clear(); }

void FlowListener::report(const Error& error) {
    m_report.error(error);
    if (m_face == ControllerFace::Detached) log(LogLevel::Error, error.toText());
}

}  // namespace lockstep::cli
