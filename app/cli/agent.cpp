#include "commands.h"

#include <control/agent.h>

#include <base/log.h>
#include <base/thread.h>

#include <csignal>
#include <ctime>

namespace lockstep::cli {
namespace {

// Ends at SIGTERM or SIGINT; the signals are read by one thread instead of a handler.
Result<void> serveUntilSignal(const control::AgentOptions& options) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
    std::stop_source stop;
    const auto signals = startThread("signals", [&](std::stop_token end) {
        while (!end.stop_requested()) {
            const timespec wait{0, 100'000'000};
            if (::sigtimedwait(&set, nullptr, &wait) > 0) stop.request_stop();
        }
    });
    return control::runAgent(options, stop.get_token());
}

class Agent : public Command {
public:
    void declare(CLI::App& parser) override {
        parser.add_flag("--print", m_print, "Print the running agent's facts (start one if there is none)");
        parser.add_option("--idle", m_idle, "Leave this many seconds after the last run")->check(CLI::PositiveNumber)->type_name("SECONDS");
    }

    Result<int> run(Context& context) override {
        if (m_print) {
            LS_TRY_ASSIGN(const auto facts, control::findOrStartAgent());
            context.output.line("agent   " + facts.id + " (pid " + std::to_string(facts.pid) + ")\nsocket  " + facts.socket.string() +
                                "\nhost    " + facts.host.hostname + ", " + std::to_string(facts.host.processors.size()) +
                                " processors\nruns    " + std::to_string(facts.runs));
            context.output.jsonText(control::toJson(facts));
            return 0;
        }
        setLogName("agent");
        control::AgentOptions options;
        if (m_idle > 0) options.idleTime = Seconds(m_idle);
        LS_TRY(serveUntilSignal(options));
        return 0;
    }

private:
    bool m_print = false;
    double m_idle = 0;
};

}  // namespace

std::unique_ptr<Command> makeAgent() { return std::make_unique<Agent>(); }

}  // namespace lockstep::cli
